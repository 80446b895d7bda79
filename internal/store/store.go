// Package store keeps what people wrote and read in Postgres. It owns the transactions that make the product's
// promises: accept, claim, step, call, finish. The kernel is pg; queries are compiled by sqlc into dbsqlc, which only the
// packages below this one import.
package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

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
	"xbot/internal/turn/engine"
)

// Options configure a store. Each is optional.
type Options struct {
	Feed     pg.Feed        // is told after each commit
	Limits   limits.Table   // how much the models take that sessions are shown with; else what is known of them by their names
	Policies quota.Policies // how much may run at once; else the defaults
	Wakes    engine.Wakes   // wakes workflows after each commit; else the relay does
	// ServerZone is the timezone in which people read times whose profile, and the policy, name none; empty is UTC.
	ServerZone string
	// HooksKeep is how long what hooks said is kept once its turn has ended; 0: as long as the conversation.
	HooksKeep time.Duration
}

// Store has the store of each module over one pool, and the transactions of turns. It is safe for concurrent use.
type Store struct {
	Conversations *conversation.Store
	Branches      *conversation.Branches
	Titles        *conversation.Titles
	Answers       *conversation.Answers
	Routing       *routing.Store
	Attachments   *attachments.Store
	GroupMessages *overheard.Store
	Edits         *amended.Store
	Memory        *memory.Store
	Search        *search.Store
	Shares        *shares.Store
	Inbox         *inbox.Store
	Calls         *calls.Store
	Hooks         *hooks.Store
	Leases        *leases.Store
	Agents        *agents.Store
	Deliveries    *delivery.Store
	ClientActions *clientactions.Store
	Cards         *cards.Store
	CodingAgents  *codingagents.Store
	Cron          *cron.Store
	Triggers      *triggers.Store
	ModelRefusals *modelrefusals.Store
	Users         *people.Store
	Permissions   *permissions.Store
	Links         *links.Store
	Secrets       *secrets.Store
	Settings      *settings.Store
	Subscriptions *subscriptions.Store
	ToolKeys      *toolkeys.Store
	MCPServers    *mcpservers.Store
	OAuth         *oauth.Store
	ActiveTools   *activetools.Store
	Runners       *runners.Store
	Channels      *channels.Store
	Roles         *roles.Store
	Registry      *registry.Store
	Prompts       *prompts.Store
	Inspection    *inspect.Store
	Usage         *usage.Store
	Pauses        *pauses.Store
	Notices       *notices.Store
	Plugins       *plugins.Store
	AgentSecrets  *agentsecrets.Store
	Services      *services.Store
	ServiceUsage  *services.Usage
	Quota         *quota.Quota

	Turns *engine.Store

	db     *pg.DB
	limits limits.Table
}

// New returns a store. The caller owns the pool.
func New(pool *pgxpool.Pool, opts Options) *Store {
	s := &Store{limits: opts.Limits, Quota: &quota.Quota{Policies: opts.Policies, ServerZone: opts.ServerZone}}
	s.db = pg.New(pool, opts.Feed)
	s.Secrets = secrets.New(s.db)
	s.Channels = channels.New(s.db)
	s.Memory = memory.New(s.db, s.Quota)
	s.Users = people.New(s.db, s.Quota)
	s.Permissions = permissions.New(s.db)
	s.Settings = settings.New(s.db)
	s.Subscriptions = subscriptions.New(s.db)
	s.ToolKeys = toolkeys.New(s.db)
	s.MCPServers = mcpservers.New(s.db)
	s.OAuth = oauth.New(s.db)
	s.Registry = registry.New(s.db)
	s.Plugins = plugins.New(s.db)
	s.AgentSecrets = agentsecrets.New(s.db)
	s.Services = services.New(s.db, s.Quota)
	s.ServiceUsage = services.NewUsage(s.db)
	s.ActiveTools = activetools.New(s.db)
	s.ModelRefusals = modelrefusals.New(s.db)
	s.ClientActions = clientactions.New(s.db)
	s.Cards = cards.New(s.db)
	s.CodingAgents = codingagents.New(s.db)
	s.Runners = runners.New(s.db, s.Quota)
	s.Inspection = inspect.New(s.db, &s.limits)
	s.Usage = usage.New(s.db)
	s.Search = search.New(s.db)
	s.Triggers = triggers.New(s.db)
	s.Cron = cron.New(s.db)
	s.Inbox = inbox.New(s.db)
	s.Conversations = conversation.New(s.db, s.Quota, &s.limits)
	s.Branches = conversation.NewBranches(s.Conversations)
	s.Titles = conversation.NewTitles(s.Conversations)
	s.Answers = conversation.NewAnswers(s.db)
	s.Calls = calls.New(s.db)
	s.Deliveries = delivery.New(s.db, s.Calls, s.Conversations)
	s.Links = links.New(s.db)
	s.Hooks = hooks.New(s.db)
	s.Agents = agents.New(s.db, s.Quota, s.Conversations)
	s.Attachments = attachments.New(s.db, s.Quota)
	s.Routing = routing.New(s.db, s.Conversations)
	s.GroupMessages, s.Edits = overheard.New(s.db), amended.New(s.db)
	s.Leases = leases.New(s.db, s.Quota)
	s.Pauses = pauses.New(s.db)
	s.Roles = roles.New(s.db)
	s.Prompts = prompts.New(s.db)
	s.Shares = shares.New(s.db)
	s.Notices = notices.New(s.db)
	s.Hooks.HooksKeep = opts.HooksKeep
	s.Turns = engine.New(s.db, engine.Stores{
		Agents: s.Agents, Calls: s.Calls, Conversations: s.Conversations, Cron: s.Cron, GroupMessages: s.GroupMessages, Quota: s.Quota, Users: s.Users,
	}, opts.Wakes)
	return s
}

// Ping reports whether Postgres answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }
