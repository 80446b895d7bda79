package store

import (
	"xbot/internal/store/channels"
	"xbot/internal/store/cron"
	"xbot/internal/store/inspect"
	"xbot/internal/store/people"
	"xbot/internal/store/quota"
	"xbot/internal/store/runners"
	"xbot/internal/store/secrets"
	"xbot/internal/store/settings"
	"xbot/internal/store/triggers"
)

// Names of the aggregates that callers of this package use.
type (
	Called          = triggers.Called
	ChannelAccount  = channels.ChannelAccount
	ChannelOverview = channels.ChannelOverview
	Delivery        = triggers.Delivery
	Grant           = people.Grant
	Identity        = people.Identity
	Job             = cron.Job
	Link            = people.Link
	OwnedTrigger    = triggers.OwnedTrigger
	Pairing         = people.Pairing
	Policies        = quota.Policies
	PolicyVersion   = settings.PolicyVersion
	Recognized      = people.Recognized
	Runner          = runners.Runner
	Sealed          = secrets.Sealed
	SessionFilter   = inspect.SessionFilter
	SessionPlace    = inspect.SessionPlace
	Token           = people.Token
	User            = people.User
	UserSetting     = settings.UserSetting
)

// Constants of the aggregates that callers of this package use.
const (
	ActiveRunner  = settings.ActiveRunner
	LLMSource     = settings.LLMSource
	Language      = settings.Language
	LastTalk      = cron.LastTalk
	LinkLife      = people.LinkLife
	MaxJobs       = cron.MaxJobs
	MaxPairings   = people.MaxPairings
	SealedPayload = secrets.SealedPayload
	SealedTrigger = secrets.SealedTrigger
)

// Functions of the aggregates that callers of this package use.
var (
	CleanName        = people.CleanName
	ListenContainers = runners.ListenContainers
	NewCode          = people.NewCode
	OwnConversation  = cron.OwnConversation
	ReadCode         = people.ReadCode
)
