package store

import (
	"xbot/internal/pg"
	"xbot/internal/store/attachments"
	"xbot/internal/store/calls"
	"xbot/internal/store/channels"
	"xbot/internal/store/conversation"
	"xbot/internal/store/cron"
	"xbot/internal/store/delivery"
	"xbot/internal/store/hooks"
	"xbot/internal/store/inspect"
	"xbot/internal/store/leases"
	"xbot/internal/store/links"
	"xbot/internal/store/mcpservers"
	"xbot/internal/store/notices"
	"xbot/internal/store/overheard"
	"xbot/internal/store/people"
	"xbot/internal/store/quota"
	"xbot/internal/store/runners"
	"xbot/internal/store/secrets"
	"xbot/internal/store/settings"
	"xbot/internal/store/subscriptions"
	"xbot/internal/store/toolkeys"
	"xbot/internal/store/triggers"
)

type (
	// Account is the one of package people.
	Account = people.Account
	// Answer is the one of package calls.
	Answer = calls.Answer
	// TurnPermit is what a person says to all calls of a running turn.
	TurnPermit = calls.TurnPermit
	// Appointment is the one of package links.
	Appointment = links.Appointment
	// Called is the one of package triggers.
	Called = triggers.Called
	// ChangeFilter is the one of package settings.
	ChangeFilter = settings.ChangeFilter
	// ChannelAccount is the one of package channels.
	ChannelAccount = channels.ChannelAccount
	// ChannelOverview is the one of package channels.
	ChannelOverview = channels.ChannelOverview
	// DeferredCall is the one of package hooks.
	DeferredCall = hooks.DeferredCall
	// Delivery is the one of package triggers.
	Delivery = triggers.Delivery
	// DirectChat is the one of package notices.
	DirectChat = notices.DirectChat
	// DisabledWork is the one of package people.
	DisabledWork = people.DisabledWork
	// Grant is the one of package people.
	Grant = people.Grant
	// IdentityLink is the one of package links.
	IdentityLink = links.IdentityLink
	// PolicyChange is the one of package settings.
	PolicyChange = settings.PolicyChange
	// Identity is the one of package links.
	Identity = links.Identity
	// Invite is the one of package people.
	Invite = people.Invite
	// Job is the one of package cron.
	Job = cron.Job
	// JobsListed is the one of package cron.
	JobsListed = cron.Listed
	// JobOwner is the one of package cron.
	JobOwner = cron.Owner
	// Link is the one of package links.
	Link = links.Link
	// MCPServer is the one of package mcpservers.
	MCPServer = mcpservers.Server
	// NewFork is the one of package conversation.
	NewFork = conversation.NewFork
	// NewSession is the one of package conversation.
	NewSession = conversation.NewSession
	// Overrides is the one of package conversation.
	Overrides = conversation.Overrides
	// Notice is the one of package notices.
	Notice = notices.Notice
	// OrphanFile is the one of package attachments.
	OrphanFile = attachments.OrphanFile
	// Overheard is a message of package overheard.
	Overheard = overheard.Message
	// OwnedTrigger is the one of package triggers.
	OwnedTrigger = triggers.OwnedTrigger
	// Page is the one of package conversation.
	Page = conversation.Page
	// Fate is the one of package conversation.
	Fate = conversation.Fate
	// Place is the one of package conversation.
	Place = conversation.Place
	// TurnAnswer is the one of package conversation.
	TurnAnswer = conversation.TurnAnswer
	// Pairing is the one of package people.
	Pairing = people.Pairing
	// PasswordEffect is the one of package people.
	PasswordEffect = people.PasswordEffect
	// Policies is the one of package quota.
	Policies = quota.Policies
	// PolicyVersion is the one of package settings.
	PolicyVersion = settings.PolicyVersion
	// Question is the one of package calls.
	Question = calls.Question
	// Recognized is the one of package people.
	Recognized = people.Recognized
	// Runner is the one of package runners.
	Runner = runners.Runner
	// Scope is the one of package people.
	Scope = people.Scope
	// Sealed is the one of package secrets.
	Sealed = secrets.Sealed
	// SessionFilter is the one of package inspect.
	SessionFilter = inspect.SessionFilter
	// SessionPlace is the one of package inspect.
	SessionPlace = inspect.SessionPlace
	// Subscription is the one of package subscriptions.
	Subscription = subscriptions.Subscription
	// ToolKey is the one of package toolkeys.
	ToolKey = toolkeys.Key
	// TenantCalls is the one of package leases.
	TenantCalls = leases.TenantCalls
	// Token is the one of package people.
	Token = people.Token
	// Transcript is the one of package conversation.
	Transcript = conversation.Transcript
	// Undelivered is the one of package delivery.
	Undelivered = delivery.Undelivered
	// User is the one of package people.
	User = people.User
	// TurnNotices is the one of package notices.
	TurnNotices = notices.TurnNotices
	// UserSetting is the one of package settings.
	UserSetting = settings.UserSetting
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
	Preset        = settings.Preset
	Titles        = settings.Titles
	RoleAdmin     = people.RoleAdmin
	RoleMember    = people.RoleMember
	ScopeAdmin    = people.ScopeAdmin
	ScopeChat     = people.ScopeChat
	ScopeRead     = people.ScopeRead
	SealedPayload = secrets.SealedPayload
	SealedTrigger = secrets.SealedTrigger

	SealedSubscription = secrets.SealedSubscription
	SealedToolKey      = secrets.SealedToolKey
	SealedMCPServer    = secrets.SealedMCPServer
	UsualModel         = settings.Model
	UsualThink         = settings.Think
	UsualContextMode   = settings.ContextMode
	AgentNotes         = settings.AgentNotes
	MemorySwitch       = settings.Memory
	SoulSwitch         = settings.Soul
	PageTheme          = settings.Theme
	PageLanguage       = settings.PageLanguage
)

// Functions and errors of the aggregates that callers of this package use.
var (
	Acting           = pg.Acting
	Narrowly         = pg.Narrowly
	Narrow           = pg.Narrow
	CheckName        = people.CheckName
	CleanName        = people.CleanName
	ErrNothingAsked  = calls.ErrNothingAsked
	ErrNothingRuns   = calls.ErrNothingRuns
	ListenContainers = runners.ListenContainers
	NewCode          = people.NewCode
	OwnConversation  = cron.OwnConversation
	ReadCode         = people.ReadCode
)
