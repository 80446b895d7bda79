package store

import (
	"xbot/internal/store/calls"
	"xbot/internal/store/channels"
	"xbot/internal/store/conversation"
	"xbot/internal/store/cron"
	"xbot/internal/store/delivery"
	"xbot/internal/store/hooks"
	"xbot/internal/store/inspect"
	"xbot/internal/store/links"
	"xbot/internal/store/people"
	"xbot/internal/store/quota"
	"xbot/internal/store/runners"
	"xbot/internal/store/secrets"
	"xbot/internal/store/settings"
	"xbot/internal/store/triggers"
)

// Names of the aggregates that callers of this package use.
type (
	Answer          = calls.Answer
	Called          = triggers.Called
	ChannelAccount  = channels.ChannelAccount
	ChannelOverview = channels.ChannelOverview
	DeferredCall    = hooks.DeferredCall
	Delivery        = triggers.Delivery
	Grant           = people.Grant
	Identity        = links.Identity
	Job             = cron.Job
	Link            = links.Link
	NewFork         = conversation.NewFork
	NewSession      = conversation.NewSession
	Overrides       = conversation.Overrides
	OwnedTrigger    = triggers.OwnedTrigger
	Page            = conversation.Page
	Pairing         = people.Pairing
	Policies        = quota.Policies
	PolicyVersion   = settings.PolicyVersion
	Question        = calls.Question
	Recognized      = people.Recognized
	Runner          = runners.Runner
	Sealed          = secrets.Sealed
	SessionFilter   = inspect.SessionFilter
	SessionPlace    = inspect.SessionPlace
	Token           = people.Token
	Transcript      = conversation.Transcript
	Undelivered     = delivery.Undelivered
	User            = people.User
	UserSetting     = settings.UserSetting
)

// Constants of the aggregates that callers of this package use.
const (
	ActiveRunner  = settings.ActiveRunner
	LLMSource     = settings.LLMSource
	Language      = settings.Language
	LastTalk      = cron.LastTalk
	LinkLife      = links.LinkLife
	MaxJobs       = cron.MaxJobs
	MaxPairings   = people.MaxPairings
	SealedPayload = secrets.SealedPayload
	SealedTrigger = secrets.SealedTrigger
)

// Functions and errors of the aggregates that callers of this package use.
var (
	CleanName        = people.CleanName
	ErrNothingAsked  = calls.ErrNothingAsked
	ListenContainers = runners.ListenContainers
	NewCode          = people.NewCode
	OwnConversation  = cron.OwnConversation
	ReadCode         = people.ReadCode
)
