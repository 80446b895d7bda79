// Package store opens the stores of all modules over one pool, for the server, the commands of the operator and tests.
package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/automation/trigger/triggerstore"
	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/channel/card/cardstore"
	"xbot/internal/channel/delivery"
	"xbot/internal/codingagent/threads"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/extension/oauth/oauthstore"
	"xbot/internal/extension/plugin/pluginstore"
	"xbot/internal/extension/prompts"
	"xbot/internal/extension/registry/registrystore"
	"xbot/internal/extension/role/rolestore"
	"xbot/internal/extension/toolkey/toolkeystore"
	"xbot/internal/llm/leases"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/modelrefusals"
	"xbot/internal/llm/subscription/subscriptionstore"
	"xbot/internal/llm/usage/usagestore"
	"xbot/internal/media/mediastore"
	"xbot/internal/memory/memorystore"
	"xbot/internal/pg"
	"xbot/internal/realtime/realtimestore"
	"xbot/internal/sandbox/agentsecrets"
	"xbot/internal/sandbox/runners"
	"xbot/internal/secret/secretstore"
	"xbot/internal/service/servicestore"
	"xbot/internal/storage/storagestore"
	"xbot/internal/tool/clientcontrol/clientactions"
	"xbot/internal/tracing/tracestore"
	"xbot/internal/turn/activetools"
	"xbot/internal/turn/attachments"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/edits"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/groupmessages"
	"xbot/internal/turn/hooks"
	"xbot/internal/turn/inbox"
	"xbot/internal/turn/inspect"
	"xbot/internal/turn/pauses"
	"xbot/internal/turn/quota"
	"xbot/internal/turn/ratings"
	"xbot/internal/turn/routing"
	"xbot/internal/turn/search"
	"xbot/internal/turn/shares"
	"xbot/internal/turn/subagents/subagentstore"
	"xbot/internal/user/links"
	"xbot/internal/user/notices"
	"xbot/internal/user/permissions"
	"xbot/internal/user/settings"
	"xbot/internal/user/users"
)

// Options configure a store. Each is optional.
type Options struct {
	Feed     pg.Feed        // is signaled after each commit
	Limits   limits.Table   // how much the models take that sessions are shown with; else what is known of them by their names
	Policies quota.Policies // how much may run at once; else the defaults
	Wakes    engine.Wakes   // wakes workflows after each commit; else the relay does
	Traces   engine.Traces  // exports traces of turns; else those that the database names as targets get them from another process
	// ServerZone is the timezone in which users read times whose profile, and the policy, name none; empty is UTC.
	ServerZone string
	// HooksKeep is how long the output of hooks is kept once its turn has ended; 0: as long as the conversation.
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
	GroupMessages *groupmessages.Store
	Edits         *edits.Store
	Memory        *memorystore.Store
	Search        *search.Store
	Shares        *shares.Store
	Inbox         *inbox.Store
	Calls         *calls.Store
	Hooks         *hooks.Store
	Leases        *leases.Store
	Agents        *subagentstore.Store
	Deliveries    *delivery.Store
	ClientActions *clientactions.Store
	Realtime      *realtimestore.Store
	Cards         *cardstore.Store
	CodingAgents  *threads.Store
	Cron          *cronstore.Store
	Triggers      *triggerstore.Store
	ModelRefusals *modelrefusals.Store
	Users         *users.Store
	Permissions   *permissions.Store
	Links         *links.Store
	Secrets       *secretstore.Store
	Settings      *settings.Store
	Subscriptions *subscriptionstore.Store
	ToolKeys      *toolkeystore.Store
	MCPServers    *mcpstore.Store
	OAuth         *oauthstore.Store
	ActiveTools   *activetools.Store
	Runners       *runners.Store
	Channels      *accountstore.Store
	Roles         *rolestore.Store
	Registry      *registrystore.Store
	Prompts       *prompts.Store
	Inspection    *inspect.Store
	Usage         *usagestore.Store
	Media         *mediastore.Store
	MediaStaging  *mediastore.Staging
	Pauses        *pauses.Store
	Notices       *notices.Store
	Plugins       *pluginstore.Store
	AgentSecrets  *agentsecrets.Store
	Services      *servicestore.Store
	Storage       *storagestore.Store
	ServiceUsage  *servicestore.Usage
	Quota         *quota.Quota
	Tracing       *tracestore.Store
	Ratings       *ratings.Store

	Turns *engine.Store

	db     *pg.DB
	limits limits.Table
}

// New returns a store. The caller owns the pool.
func New(pool *pgxpool.Pool, opts Options) *Store {
	s := &Store{limits: opts.Limits, Quota: &quota.Quota{Policies: opts.Policies, ServerZone: opts.ServerZone}}
	s.db = pg.New(pool, opts.Feed)
	if opts.Traces == nil {
		opts.Traces = engine.NoTraces{}
	}
	s.Tracing = tracestore.New(s.db)
	s.Ratings = ratings.New(s.db, opts.Traces)
	s.Secrets = secretstore.New(s.db)
	s.Channels = accountstore.New(s.db)
	s.Memory = memorystore.New(s.db, s.Quota)
	s.Users = users.New(s.db, s.Quota)
	s.Permissions = permissions.New(s.db)
	s.Settings = settings.New(s.db)
	s.Subscriptions = subscriptionstore.New(s.db)
	s.ToolKeys = toolkeystore.New(s.db)
	s.MCPServers = mcpstore.New(s.db)
	s.OAuth = oauthstore.New(s.db)
	s.Registry = registrystore.New(s.db)
	s.Plugins = pluginstore.New(s.db)
	s.AgentSecrets = agentsecrets.New(s.db)
	s.Services = servicestore.New(s.db, s.Quota)
	s.ServiceUsage = servicestore.NewUsage(s.db)
	s.Storage = storagestore.New(s.db)
	s.ActiveTools = activetools.New(s.db)
	s.ModelRefusals = modelrefusals.New(s.db)
	s.ClientActions = clientactions.New(s.db)
	s.Realtime = realtimestore.New(s.db)
	s.Cards = cardstore.New(s.db)
	s.CodingAgents = threads.New(s.db)
	s.Runners = runners.New(s.db, s.Quota)
	s.Inspection = inspect.New(s.db, &s.limits)
	s.Usage = usagestore.New(s.db)
	s.Media, s.MediaStaging = mediastore.New(s.db), mediastore.NewStaging(s.db)
	s.Search = search.New(s.db)
	s.Triggers = triggerstore.New(s.db)
	s.Cron = cronstore.New(s.db)
	s.Inbox = inbox.New(s.db)
	s.Conversations = conversation.New(s.db, s.Quota, &s.limits)
	s.Branches = conversation.NewBranches(s.Conversations)
	s.Titles = conversation.NewTitles(s.Conversations)
	s.Answers = conversation.NewAnswers(s.db)
	s.Calls = calls.New(s.db)
	s.Deliveries = delivery.New(s.db, s.Calls, s.Conversations)
	s.Links = links.New(s.db)
	s.Hooks = hooks.New(s.db)
	s.Agents = subagentstore.New(s.db, s.Quota, s.Conversations)
	s.Attachments = attachments.New(s.db, s.Quota)
	s.Routing = routing.New(s.db, s.Conversations)
	s.GroupMessages, s.Edits = groupmessages.New(s.db), edits.New(s.db)
	s.Leases = leases.New(s.db, s.Quota)
	s.Pauses = pauses.New(s.db)
	s.Roles = rolestore.New(s.db)
	s.Prompts = prompts.New(s.db)
	s.Shares = shares.New(s.db)
	s.Notices = notices.New(s.db)
	s.Hooks.HooksKeep = opts.HooksKeep
	s.Turns = engine.New(s.db, engine.Stores{
		Agents: s.Agents, Calls: s.Calls, Conversations: s.Conversations, Cron: s.Cron, GroupMessages: s.GroupMessages, Quota: s.Quota, Users: s.Users,
	}, opts.Wakes, opts.Traces)
	return s
}

// Ping reports whether Postgres answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.Ping(ctx) }
