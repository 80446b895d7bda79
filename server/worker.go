package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"xbot/activities"
	agentwork "xbot/activities/agents"
	"xbot/activities/background"
	"xbot/activities/coding"
	"xbot/activities/compress"
	"xbot/activities/cronjob"
	"xbot/activities/deletion"
	"xbot/activities/memorize"
	"xbot/activities/modelcall"
	"xbot/activities/storagemove"
	"xbot/activities/titles"
	"xbot/activities/turn"
	"xbot/ingress/httpserver"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/host/crash"
	"xbot/internal/host/crash/crashstore"
	"xbot/internal/host/filelink"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/choice"
	"xbot/internal/llm/limits"
	"xbot/internal/sandbox/agentenv"
	"xbot/internal/sandbox/guestfs"
	"xbot/server/hostrunner"
	"xbot/server/livefeed"
	"xbot/server/serverlock"
	"xbot/worker"
)

// OpenWorker opens the part that works.
func OpenWorker(ctx context.Context, cfg config.Worker, version string) (*Server, error) {
	if err := needServers(cfg.Database, cfg.Temporal); err != nil {
		return nil, err
	}
	build, err := buildOf(cfg.Versions, version)
	if err != nil {
		return nil, err
	}
	model, err := NewModel(cfg.LLM)
	if err != nil {
		return nil, err
	}
	s := &Server{}
	c, err := newCore(ctx, ofWorker(cfg, version, model), s)
	if err != nil {
		return s.opened(err)
	}
	a, err := newAgents(c, c.newResolver(nil, cfg.Runner, hostrunner.ContainerRequests{Store: c.stores.Runners, Image: cfg.Image}))
	if err != nil {
		return s.opened(err)
	}
	s.serve(c.db.listenFeed, c.temporal.learnAttributes, c.indexWords, c.temporal.outages.Run, a.catchUp, (&workerPart{c, a, cfg.Agent, cfg.Context, build, nil}).run, a.exportTraces)
	if cfg.Metrics != "" {
		s.serve(func(ctx context.Context) error { return c.proc.serveMetrics(ctx, cfg.Metrics, c) })
	}
	return s, nil
}

// workerPart is the half of the server that works.
type workerPart struct {
	core    *core
	agents  *agents
	agent   config.Agent
	context config.Context
	build   worker.Build
	lock    *serverlock.Lock // nil for "xbot worker"
}

// predecessorLimit bounds the search for activities of a killed server: missed heartbeats find the rest.
const predecessorLimit = 2 * time.Second

// run polls for work until ctx ends.
func (w *workerPart) run(ctx context.Context) error {
	guard, err := w.openGuard(ctx)
	if err != nil || guard == nil {
		return err
	}
	defer func() {
		if err := guard.Close(); err != nil {
			w.core.proc.log.Warn("the journal of running attempts was not closed", "error", err)
		}
	}()
	defer context.AfterFunc(ctx, guard.Stop)()
	if w.lock == nil {
		return worker.Run(ctx, w.core.temporal.client, w.activities(), w.build, guard, w.core.proc.log)
	}
	if w.lock.Exclusive {
		w.giveUpPredecessor(ctx)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return w.lock.Run(ctx) })
	g.Go(func() error {
		return worker.Run(ctx, w.core.temporal.client, w.activities(), w.build, guard, w.core.proc.log)
	})
	return g.Wait()
}

// guardRetry is the pause between attempts to open the guard.
const guardRetry = time.Second

// openGuard counts the attempts of dead worker processes, before any attempt runs. It returns nil if ctx has ended.
func (w *workerPart) openGuard(ctx context.Context) (*crash.Guard, error) {
	guard := crash.NewGuard(w.core.proc.version, crashstore.New(w.core.db.pool), w.core.proc.tele.Registry, w.core.proc.log)
	for {
		err := guard.Open(ctx, w.core.proc.home)
		switch {
		case ctx.Err() != nil:
			return nil, nil
		case err == nil:
			return guard, nil
		case !fault.Is(err, fault.Unavailable) && !errors.Is(err, context.DeadlineExceeded):
			return nil, err
		}
		w.core.proc.log.Warn("the attempts of worker processes that died cannot be counted yet, trying again", "error", err)
		select {
		case <-ctx.Done():
			return nil, nil
		case <-time.After(guardRetry):
		}
	}
}

// giveUpPredecessor lets activities of a killed server begin their next attempt at once.
func (w *workerPart) giveUpPredecessor(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, predecessorLimit)
	defer cancel()
	n, err := worker.Predecessor{
		Namespace: w.core.temporal.namespace, Kind: serveProcess + "@", Successor: w.core.temporal.identity,
	}.GiveUp(ctx, w.core.temporal.client)
	if err != nil {
		w.core.proc.log.Warn("what the server before this one was at is found by missed heartbeats", "error", err)
	}
	if n > 0 {
		w.core.proc.log.Info("activities of the server before this one begin again", "activities", n)
	}
}

// activities puts the adapters into the activities.
func (w *workerPart) activities() worker.Activities {
	stores := w.core.stores
	hooks, prompts, assembler := w.agents.hookFiles(), w.agents.systemPrompts(), w.assembler()
	compressor := w.compressor(prompts, assembler)
	registry := w.agents.commands(serving{})
	sandboxes := activities.Sandboxes{
		RunnerSandboxes: w.agents.boxes, Consumers: w.agents.consumerFiles(), Confinements: w.core.agentProfiles(),
		Environments: &agentenv.Resolver{
			AgentSecrets: stores.AgentSecrets, Settings: stores.Settings, Policies: w.core.db.policies, Key: w.core.db.key,
			Log: w.core.proc.log,
		},
	}
	live, speeds := livefeed.Feed{Bus: w.core.db.bus}, &turn.Speeds{}
	agents := &coding.Agents{
		Store: coding.Store{
			Attachments: stores.Attachments, Calls: stores.Calls, CodingAgents: stores.CodingAgents,
			Conversations: stores.Conversations, Turns: stores.Turns,
		},
		Sandboxes: sandboxes,
	}
	tools := &turn.Tools{
		Attachments: stores.Attachments, Calls: stores.Calls, Sets: w.agents.tools, Authorizers: w.agents.authorizers(), Sandboxes: sandboxes,
		Words: w.core.temporal.words, Outputs: live, Sampling: w.sampling(assembler),
	}
	return worker.Activities{
		Turns: worker.Turns{
			Intake: &turn.Intake{
				Subagents: stores.Agents, Calls: stores.Calls, Conversations: stores.Conversations, Turns: stores.Turns, Commands: registry, Models: w.agents.choice, Profiles: w.core.agentProfiles(), MaxSteps: w.agent.MaxIterations, Words: w.core.temporal.words, Hooks: hooks,
				Spending: stores.Usage, Prices: catalogue.Read{Live: w.core.models.catalogue}, Speeds: speeds, Titles: w.agent.Titles == "on", Agents: agents,
			},
			Model: &turn.Model{
				Models: w.agents.choice, Leases: stores.Leases, ModelRefusals: stores.ModelRefusals, Notices: stores.Notices, Turns: stores.Turns, Usage: stores.Usage, Tools: w.agents.tools, Prompts: prompts, Streams: live, Authorizers: w.agents.authorizers(), Hooks: hooks,
				Context: assembler, Profiles: w.core.agentProfiles(), Trees: stores.Agents, Words: w.core.temporal.words, Speeds: speeds, Agents: agents, Spoken: stores.Realtime,
				Retry: modelcall.Retry{
					Attempts: w.core.models.llm.RetryAttempts, Delay: w.core.models.llm.RetryDelay, MaxDelay: w.core.models.llm.RetryMaxDelay,
				},
			},
			Tools: tools,
			Approvals: &turn.Approvals{
				Questions: stores.Calls, Runners: tools, Previewer: w.agents.tools.Builtin, Sandboxes: w.agents.boxes,
				Wait: w.core.permissions.Wait,
			},
			Commands:   &activities.TurnCommands{Store: stores.Conversations, Registry: registry},
			Hooks:      w.agents.hooks(hooks, compressor, tools),
			Compressor: compressor,
			Titles: &titles.Titles{
				Titles: stores.Titles, Usage: stores.Usage,
				Models: choice.Swift{Choice: w.agents.choice, Tiers: stores.Settings},
			},
		},
		Background: w.background(sandboxes, live, assembler),
		Deliveries: worker.Deliveries{Deliverer: w.agents.deliverer(), Follower: w.core.follower()},
	}
}

// background has the activities of work outside turns.
func (w *workerPart) background(sandboxes activities.Sandboxes, live livefeed.Feed, assembler *modelcall.Assembler) worker.Background {
	stores := w.core.stores
	return worker.Background{
		Tasks:     &background.Background{Tasks: stores.Calls, Sandboxes: sandboxes, Outputs: live},
		Commands:  &background.Commands{Store: stores.Turns, Sandboxes: sandboxes, Links: outputLinks{filelink.New(w.core.db.key)}},
		Fetcher:   w.agents.attachmentFetcher(w.agent.Keep),
		CronJobs:  w.core.cronJobs(),
		Track:     &cronjob.Track{Runs: stores.Cron, Copy: w.core.copy},
		Subagents: &agentwork.Subagents{Store: stores.Agents},
		Groups:    &agentwork.Groups{Store: stores.Agents, Words: w.core.temporal.words},
		Memorizer: w.memorizer(assembler),
		Moves:     &storagemove.Moves{Migrations: stores.Storage, Mover: guestfs.Mover{Finder: w.agents.consumerFiles(), Moves: stores.Services}},
		Deleter: &deletion.Deleter{
			Agents: stores.Agents, Cron: stores.Cron, Users: stores.Users,
			Histories: worker.Histories{Namespace: w.core.temporal.namespace, Client: w.core.temporal.client}, Accounts: w.core.mcp.connected,
			Services: stores.Services, ConsumerFiles: w.agents.consumerFiles(), Log: w.core.proc.log,
		},
	}
}

// sampling answers what MCP servers ask the model.
func (w *workerPart) sampling(assembler *modelcall.Assembler) *turn.Sampling {
	stores := w.core.stores
	return &turn.Sampling{
		Calls: stores.Calls, Permissions: stores.Permissions, Titles: stores.Titles, Usage: stores.Usage,
		Models: w.agents.choice, Limits: assembler.Budget.Models, Authorizers: w.agents.authorizers(),
	}
}

func (w *workerPart) assembler() *modelcall.Assembler {
	stores := w.core.stores
	c := w.context
	return &modelcall.Assembler{
		Attachments: stores.Attachments, Conversations: stores.Conversations, ModelRefusals: stores.ModelRefusals, Stale: &modelcall.Stale{Reads: stores.Conversations, Sandboxes: w.agents.boxes}, Ratios: modelcall.Ratios{Store: stores.Usage},
		Budget: modelcall.Budget{
			Models: limits.Table{Model: w.core.models.model.Model(), Others: w.core.models.catalogue},
			MaskAt: c.MaskAt, CompressAt: c.CompressAt, Cooldown: c.Cooldown, Mode: c.Mode, Prune: c.Pruning == "on", PruneAfter: pruneAfter(c),
		},
	}
}

// compressor makes the activity that summarizes conversations.
func (w *workerPart) compressor(prompts modelcall.Prompts, assembler *modelcall.Assembler) *compress.Compressor {
	out := &compress.Compressor{
		Models: w.agents.choice, Conversations: w.core.stores.Conversations, Leases: w.core.stores.Leases, Turns: w.core.stores.Turns, Prompts: prompts, Context: assembler, Authorizers: w.agents.authorizers(),
		Profiles: w.core.agentProfiles(),
		Retry:    modelcall.Retry{Attempts: w.core.models.llm.RetryAttempts, Delay: w.core.models.llm.RetryDelay, MaxDelay: w.core.models.llm.RetryMaxDelay},
		Progress: livefeed.Feed{Bus: w.core.db.bus},
	}
	if w.context.Flush == "on" {
		out.Notes, out.Memory = noteTools(w.agents.tools.Builtin), w.core.memories()
	}
	return out
}

// memorizer makes the activity that puts conversations into memory.
func (w *workerPart) memorizer(assembler *modelcall.Assembler) *memorize.Memorizer {
	return &memorize.Memorizer{
		Conversations: w.core.stores.Conversations, Usage: w.core.stores.Usage, Models: w.agents.choice, Memory: w.core.memories(), Budget: assembler.Budget,
		Retry: modelcall.Retry{Attempts: w.core.models.llm.RetryAttempts, Delay: w.core.models.llm.RetryDelay, MaxDelay: w.core.models.llm.RetryMaxDelay},
	}
}

// pruneAfter is the age of the last answer from which on old results are cut, 0 for never.
func pruneAfter(c config.Context) time.Duration {
	if c.Pruning != "cache-ttl" {
		return 0
	}
	return c.PruningTTL
}

// outputLinks signs addresses of this server.
type outputLinks struct{ filelink.Signer }

// OutputURL makes the address under which the whole output of a command can be downloaded.
func (l outputLinks) OutputURL(user chat.UserID, runner string, exec chat.CallID, name string) (string, error) {
	return l.URL(filelink.Link{
		User: user, Runner: runner, Exec: exec, Name: name, Expires: time.Now().Add(filelink.MaxLife),
	})
}

// serveMetrics answers /metrics, /healthz and /readyz of a worker, for a scraper and a supervisor.
func (p *process) serveMetrics(ctx context.Context, addr string, ready httpserver.Readiness) error {
	l, err := httpserver.Listen(addr, p.log)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", p.tele.Handler())
	httpserver.HandleHealth(mux, ready)
	return httpserver.Serve(ctx, l, mux, make(chan struct{}), p.log)
}

// unstamped is the version of a binary that was not built with make.
const unstamped = "dev"

// buildOf names the build of a worker. One that does not know its version is known by the hash of its binary, which is no version.
func buildOf(v config.Versions, version string) (worker.Build, error) {
	b := worker.Build{Name: cmp.Or(v.Build, version), Versioned: v.Versioning == "on"}
	if b.Name != unstamped {
		return b, nil
	}
	if b.Versioned {
		return b, fault.Errorf(fault.Invalid, "this binary does not know its version, so its workers cannot have one: set XBOT_BUILD_ID, or build it with make")
	}
	return worker.Build{}, nil
}
