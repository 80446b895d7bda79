// Package store keeps what people wrote and read in Postgres. It owns the transactions that make the product's
// promises: accept, claim, step, call, finish. The kernel is pg; queries are compiled by sqlc into dbsqlc, which only the
// packages below this one import.
package store

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"xbot/internal/chat"
	"xbot/internal/llm/limits"
	"xbot/internal/pg"
	"xbot/internal/store/activetools"
	"xbot/internal/store/agents"
	"xbot/internal/store/agentsecrets"
	"xbot/internal/store/amended"
	"xbot/internal/store/attachments"
	"xbot/internal/store/calls"
	"xbot/internal/store/cards"
	"xbot/internal/store/channels"
	"xbot/internal/store/clientactions"
	"xbot/internal/store/codingagents"
	"xbot/internal/store/conversation"
	"xbot/internal/store/cron"
	"xbot/internal/store/delivery"
	"xbot/internal/store/hooks"
	"xbot/internal/store/inbox"
	"xbot/internal/store/inspect"
	"xbot/internal/store/leases"
	"xbot/internal/store/links"
	"xbot/internal/store/mcpservers"
	"xbot/internal/store/memory"
	"xbot/internal/store/modelrefusals"
	"xbot/internal/store/notices"
	"xbot/internal/store/oauth"
	"xbot/internal/store/overheard"
	"xbot/internal/store/pauses"
	"xbot/internal/store/people"
	"xbot/internal/store/permissions"
	"xbot/internal/store/plugins"
	"xbot/internal/store/prompts"
	"xbot/internal/store/quota"
	"xbot/internal/store/registry"
	"xbot/internal/store/roles"
	"xbot/internal/store/routing"
	"xbot/internal/store/runners"
	"xbot/internal/store/search"
	"xbot/internal/store/secrets"
	"xbot/internal/store/services"
	"xbot/internal/store/settings"
	"xbot/internal/store/shares"
	"xbot/internal/store/subscriptions"
	"xbot/internal/store/toolkeys"
	"xbot/internal/store/triggers"
	"xbot/internal/store/usage"
)

type (
	// AttachmentStore is the one of package attachments.
	AttachmentStore = attachments.Store
	// RoutingStore is the one of package routing.
	RoutingStore = routing.Store
	// OverheardStore is the one of package overheard.
	OverheardStore = overheard.Store
	// AmendedStore is the one of package amended.
	AmendedStore = amended.Store
	// LeaseStore is the one of package leases.
	LeaseStore = leases.Store
	// PauseStore is the one of package pauses.
	PauseStore = pauses.Store
	// SecretStore is the one of package secrets.
	SecretStore = secrets.Store
	// ChannelStore is the one of package channels.
	ChannelStore = channels.Store
	// MemoryStore is the one of package memory.
	MemoryStore = memory.Store
	// PeopleStore is the one of package people.
	PeopleStore = people.Store
	// PermissionStore is the one of package permissions.
	PermissionStore = permissions.Store
	// SettingStore is the one of package settings.
	SettingStore = settings.Store
	// SubscriptionStore is the one of package subscriptions.
	SubscriptionStore = subscriptions.Store
	// ToolKeyStore is the one of package toolkeys.
	ToolKeyStore = toolkeys.Store
	// MCPServerStore is the one of package mcpservers.
	MCPServerStore = mcpservers.Store
	// AgentSecretStore is the one of package agentsecrets.
	AgentSecretStore = agentsecrets.Store
	// PluginStore is the one of package plugins.
	PluginStore = plugins.Store
	// OAuthStore is the one of package oauth.
	OAuthStore = oauth.Store
	// RegistryStore is the one of package registry.
	RegistryStore = registry.Store
	// RegistryViewer is who looks at the registry.
	RegistryViewer = registry.Viewer
	// RegistryOrder is what is to be installed.
	RegistryOrder = registry.Order
	// RegistryRevision is what is to become of an entry.
	RegistryRevision = registry.Revision
	// ActiveToolStore is the one of package activetools.
	ActiveToolStore = activetools.Store
	// ModelRefusalStore is the one of package modelrefusals.
	ModelRefusalStore = modelrefusals.Store
	// CodingAgentStore is the one of package codingagents.
	CodingAgentStore = codingagents.Store
	// ClientActionStore is the one of package clientactions.
	ClientActionStore = clientactions.Store
	// CardStore is the one of package cards.
	CardStore = cards.Store
	// RunnerStore is the one of package runners.
	RunnerStore = runners.Store
	// InspectStore is the one of package inspect.
	InspectStore = inspect.Store
	// UsageStore is the one of package usage.
	UsageStore = usage.Store
	// SearchStore is the one of package search.
	SearchStore = search.Store
	// TriggerStore is the one of package triggers.
	TriggerStore = triggers.Store
	// CronStore is the one of package cron.
	CronStore = cron.Store
	// InboxStore is the one of package inbox.
	InboxStore = inbox.Store
	// ConversationStore is the one of package conversation.
	ConversationStore = conversation.Store
	// BranchStore is the one of the branches of conversations.
	BranchStore = conversation.Branches
	// TitleStore is the one of the titles of conversations.
	TitleStore = conversation.Titles
	// AnswerStore is the one of the answers that somebody waits for.
	AnswerStore = conversation.Answers
	// CallStore is the one of package calls.
	CallStore = calls.Store
	// DeliveryStore is the one of package delivery.
	DeliveryStore = delivery.Store
	// LinkStore is the one of package links.
	LinkStore = links.Store
	// AgentStore is the one of package agents.
	AgentStore = agents.Store
	// HookStore is the one of package hooks.
	HookStore = hooks.Store
	// RoleStore is the one of package roles.
	RoleStore = roles.Store
	// PromptStore is the one of package prompts.
	PromptStore = prompts.Store
	// ShareStore is the one of package shares.
	ShareStore = shares.Store
	// ServiceStore is the one of package services.
	ServiceStore = services.Store
	// ServiceUsageStore is what services of package services were asked and took.
	ServiceUsageStore = services.Usage
	// NoticeStore is the one of package notices.
	NoticeStore = notices.Store
)

// Options configure a store. Each is optional.
type Options struct {
	Feed     pg.Feed        // is told after each commit
	Limits   limits.Table   // how much the models take that sessions are shown with; else what is known of them by their names
	Policies quota.Policies // how much may run at once; else the defaults
	Wakes    Wakes          // wakes workflows after each commit; else the relay does
	// ServerZone is the timezone in which people read times whose profile, and the policy, name none; empty is UTC.
	ServerZone string
	// HooksKeep is how long what hooks said is kept once its turn has ended; 0: as long as the conversation.
	HooksKeep time.Duration
}

// Wakes wakes workflows, without keeping the caller waiting, whose rows were just committed. What fails the relay repeats.
type Wakes interface{ Wake(wakes ...chat.Wake) }

// Store is the repositories over one pool. It is safe for concurrent use.
type Store struct {
	db *pg.DB
	conversations
	work
	persons
	operations

	*quota.Quota
	opts Options

	lastPrompt atomic.Value // [sha256.Size]byte of the prompt that was committed last
	lately     lately       // prompts that a crash of Postgres may forget
	crowded    atomic.Bool  // the last claim found nearly as many turns as there may be
}

// conversations has the stores of messages and memory.
type conversations struct {
	*ConversationStore
	*BranchStore
	*TitleStore
	*AnswerStore
	*RoutingStore
	*AttachmentStore
	*OverheardStore
	*AmendedStore
	*MemoryStore
	*SearchStore
	*ShareStore
}

// work has the stores of turns: what they do and wait for, and what starts and follows them.
type work struct {
	*InboxStore
	*CallStore
	*HookStore
	*LeaseStore
	*AgentStore
	*DeliveryStore
	*ClientActionStore
	*CardStore
	*CodingAgentStore
	*CronStore
	*TriggerStore
	*ModelRefusalStore
}

// persons has the stores of users and what belongs to them.
type persons struct {
	*PeopleStore
	*PermissionStore
	*LinkStore
	*SecretStore
	*SettingStore
	*SubscriptionStore
	*ToolKeyStore
	*MCPServerStore
	*OAuthStore
	*ActiveToolStore
	*RunnerStore
	*ChannelStore
	*RoleStore
	*RegistryStore
	*PromptStore
}

// operations has the stores for operators.
type operations struct {
	*InspectStore
	*UsageStore
	*PauseStore
	*NoticeStore
	*PluginStore
	*AgentSecretStore
	*ServiceStore
	*ServiceUsageStore
}

// New returns a store. The caller owns the pool.
func New(pool *pgxpool.Pool, opts Options) *Store {
	s := &Store{opts: opts, Quota: &quota.Quota{Policies: opts.Policies, ServerZone: opts.ServerZone}}
	s.db = pg.New(pool, opts.Feed, s)
	s.SecretStore = secrets.New(s.db)
	s.ChannelStore = channels.New(s.db)
	s.MemoryStore = memory.New(s.db, s.Quota)
	s.PeopleStore = people.New(s.db, s.Quota)
	s.PermissionStore = permissions.New(s.db)
	s.SettingStore = settings.New(s.db)
	s.SubscriptionStore = subscriptions.New(s.db)
	s.ToolKeyStore = toolkeys.New(s.db)
	s.MCPServerStore = mcpservers.New(s.db)
	s.OAuthStore = oauth.New(s.db)
	s.RegistryStore = registry.New(s.db)
	s.PluginStore = plugins.New(s.db)
	s.AgentSecretStore = agentsecrets.New(s.db)
	s.ServiceStore = services.New(s.db, s.Quota)
	s.ServiceUsageStore = services.NewUsage(s.db)
	s.ActiveToolStore = activetools.New(s.db)
	s.ModelRefusalStore = modelrefusals.New(s.db)
	s.ClientActionStore = clientactions.New(s.db)
	s.CardStore = cards.New(s.db)
	s.CodingAgentStore = codingagents.New(s.db)
	s.RunnerStore = runners.New(s.db, s.Quota)
	s.InspectStore = inspect.New(s.db, &s.opts.Limits)
	s.UsageStore = usage.New(s.db)
	s.SearchStore = search.New(s.db)
	s.TriggerStore = triggers.New(s.db)
	s.CronStore = cron.New(s.db)
	s.InboxStore = inbox.New(s.db)
	s.ConversationStore = conversation.New(s.db, s.Quota, &s.opts.Limits)
	s.BranchStore = conversation.NewBranches(s.ConversationStore)
	s.TitleStore = conversation.NewTitles(s.ConversationStore)
	s.AnswerStore = conversation.NewAnswers(s.db)
	s.CallStore = calls.New(s.db)
	s.DeliveryStore = delivery.New(s.db, s.CallStore, s.ConversationStore)
	s.LinkStore = links.New(s.db)
	s.HookStore = hooks.New(s.db)
	s.AgentStore = agents.New(s.db, s.Quota, s.ConversationStore)
	s.AttachmentStore = attachments.New(s.db, s.Quota)
	s.RoutingStore = routing.New(s.db, s.ConversationStore)
	s.OverheardStore, s.AmendedStore = overheard.New(s.db), amended.New(s.db)
	s.LeaseStore = leases.New(s.db, s.Quota)
	s.PauseStore = pauses.New(s.db)
	s.RoleStore = roles.New(s.db)
	s.PromptStore = prompts.New(s.db)
	s.ShareStore = shares.New(s.db)
	s.NoticeStore = notices.New(s.db)
	s.HooksKeep = opts.HooksKeep
	return s
}

// Ping reports whether Postgres answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }

// Committed wakes workflows after a commit, and grants the slot of a turn that has ended. That is no part of the transaction, so that it
// sees sessions that were queued meanwhile.
func (s *Store) Committed(ctx context.Context, tx *pg.Tx) {
	if len(tx.After.Wakes) > 0 && s.opts.Wakes != nil {
		s.opts.Wakes.Wake(tx.After.Wakes...)
	}
	if tx.After.SlotFreed {
		_, _ = s.HandOutTurns(ctx) // the relay does it again within a second
	}
}

// Migrate brings the database to the schema of this binary.
func Migrate(ctx context.Context, dsn string) error { return pg.Migrate(ctx, dsn) }

// MigrationsHash names the schema of this binary, for template databases of tests.
func MigrationsHash() string { return pg.MigrationsHash() }

// SchemaVersions returns the version the database has and the one this binary wants.
func SchemaVersions(ctx context.Context, dsn string) (has, wants int64, err error) {
	return pg.SchemaVersions(ctx, dsn)
}

// Clean makes text storable: valid UTF-8 without NUL, which Postgres cannot hold.
func Clean(text string) string { return pg.Clean(text) }
