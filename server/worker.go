package server

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"xbot/activities"
	"xbot/activities/agents"
	"xbot/activities/background"
	"xbot/activities/modelcall"
	"xbot/activities/turn"
	"xbot/ingress/httpserver"
	"xbot/internal/chat"
	"xbot/internal/config"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/choice"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/provider"
	"xbot/internal/logs"
	"xbot/internal/safehttp"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/store"
	"xbot/internal/temporalclient"
	"xbot/internal/tool"
	"xbot/internal/tool/ask"
	toolcontext "xbot/internal/tool/context"
	toolcron "xbot/internal/tool/cron"
	"xbot/internal/tool/file"
	toollogs "xbot/internal/tool/logs"
	"xbot/internal/tool/memory"
	"xbot/internal/tool/shell"
	"xbot/internal/tool/task"
	"xbot/internal/tool/todo"
	tooltrigger "xbot/internal/tool/trigger"
	"xbot/internal/tool/web"
	"xbot/worker"
)

// Worker polls for work until the process is told to stop.
func Worker(ctx context.Context, cfg config.Worker, version string) error {
	if err := needServers(cfg.Database, cfg.Temporal); err != nil {
		return err
	}
	build, err := buildOf(cfg.Versions, version)
	if err != nil {
		return err
	}
	p, err := assemble(ctx, "xbot worker", settings{
		version: version, Home: cfg.Home, Secrets: cfg.Secrets, Telemetry: cfg.Telemetry, Prompt: cfg.Prompt, Memory: cfg.Memory, dsn: cfg.Database.URL, out: os.Stderr, encrypts: cfg.Codec == "on",
		temporal: temporalclient.Config{Address: cfg.Address, Namespace: cfg.Namespace},
	})
	if err != nil {
		return err
	}
	defer p.close(ctx)
	model, err := NewModel(cfg.LLM)
	if err != nil {
		return err
	}
	p.newCatalogue(model, cfg.LLM, p.env)
	if p.policy, err = newPolicy(cfg.Permissions, p.tools(cfg.Permissions)); err != nil {
		return err
	}
	boxes := p.newResolver(nil, cfg.Runner, wishes{store: p.store, image: cfg.Image})
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return p.bus.Run(ctx, p.dsn) })
	g.Go(func() error { return p.catchUp(ctx, p.newChoice(model, boxes, cfg.LLM)) })
	g.Go(func() error { return p.learnAttributes(ctx, cfg.Namespace) })
	g.Go(func() error {
		return worker.Run(ctx, p.temporal, p.activities(model, think{cfg.LLM, cfg.Agent, cfg.Context}, cfg.Temporal, boxes), build, p.log)
	})
	if cfg.Metrics != "" {
		g.Go(func() error { return p.serveMetrics(ctx, cfg.Metrics) })
	}
	return g.Wait()
}

// NewModel makes the model that the settings name.
func NewModel(cfg config.LLM) (llm.Client, error) { return provider.FromConfig(modelConfig(cfg)) }

func modelConfig(cfg config.LLM) provider.Config {
	return provider.Config{
		Provider: cfg.Provider, BaseURL: cfg.BaseURL, APIKey: cfg.APIKey, Model: cfg.Model, IdleTimeout: cfg.RetryTimeout,
	}
}

// newCatalogue makes the list of the models that conversations can choose among. keys returns variables of this process,
// which is where the keys are; nil: they are the worker's.
func (p *parts) newCatalogue(model llm.Client, cfg config.LLM, keys func(string) string) {
	p.models = &catalogue.Live{
		Server: model, Config: modelConfig(cfg), Limits: limitsOf(model, cfg), Policies: p.policies, Keys: keys, Idle: cfg.RetryTimeout,
	}
	p.store.Limits.Others = p.models
}

// newChoice finds the model of a conversation.
func (p *parts) newChoice(model llm.Client, boxes *resolver.Resolver, cfg config.LLM) *choice.Choice {
	return &choice.Choice{Server: model, Store: p.store, Runners: boxes, Models: p.models, Idle: cfg.RetryTimeout}
}

// limitsOf says what the settings say of the model that they name.
func limitsOf(model llm.Client, cfg config.LLM) limits.Table {
	return limits.Table{Model: model.Model(), Context: cfg.MaxContext, Output: cfg.MaxOutput}
}

// tools are what models can call.
func (p *parts) tools(cfg config.Permissions) *tool.Registry {
	work := store.Background{Store: p.store}
	return tool.New(append(
		slices.Concat(p.lettaTools(), p.soulTools()),
		shell.New(), ask.New(), file.NewRead(), file.NewCreate(), file.NewReplace(p.store), file.NewGlob(), file.NewGrep(),
		file.NewCd(p.store, p.store), todo.NewWrite(p.store), todo.NewList(p.store, p.store), memory.NewWrite(p.notes()), memory.NewList(p.notes()), newDownload(cfg, p.version),
		task.NewStatus(work), task.NewRead(work, lateBoxes{p}), task.NewWait(work),
		task.NewKill(work, task.Killer{Kills: work, Boxes: lateBoxes{p}}),
		toolcontext.NewOffloadRecall(p.store), toolcontext.NewEdit(p.store), toolcontext.NewRecallMasked(p.store),
		toolcron.New(p.jobs),
		p.subagents(), p.worktree(), p.createChat(), p.sendMessage(),
		tooltrigger.New(p.triggers), toollogs.New(logs.Reader{Home: p.home}),
	)...)
}

// think is the settings of turns.
type think struct {
	config.LLM
	config.Agent
	config.Context
}

func (p *parts) newAssembler(model llm.Client, c think, boxes activities.Boxes) *modelcall.Assembler {
	return &modelcall.Assembler{
		Windows: p.store, Stale: &modelcall.Stale{Reads: p.store, Boxes: boxes}, Ratios: modelcall.Ratios{Store: p.store},
		Budget: modelcall.Budget{
			Models: limits.Table{Model: model.Model(), Others: p.models},
			MaskAt: c.MaskAt, CompressAt: c.CompressAt, Cooldown: c.Cooldown, Mode: c.Mode, Prune: c.Pruning == "on", PruneAfter: pruneAfter(c.Context),
		},
	}
}

// pruneAfter is how long an answer is ago when old results are cut, 0 for never.
func pruneAfter(c config.Context) time.Duration {
	if c.Pruning != "cache-ttl" {
		return 0
	}
	return c.PruningTTL
}

// activities puts the adapters into the activities.
func (p *parts) activities(model llm.Client, c think, t config.Temporal, boxes *resolver.Resolver) worker.Activities {
	p.wakeLine(t)
	p.startCourier(t)
	l := c.LLM
	models := p.newChoice(model, boxes, l)
	hooks := p.hookFiles(boxes)
	tools, prompts, assembler := p.policy.tools, p.systemPrompts(boxes), p.newAssembler(model, c, boxes)
	compressor := p.compressor(models, prompts, assembler, c)
	open := func(step chat.Step, attempt int) turn.Stream {
		return p.bus.NewStream(step.Session, step.Turn, step.N, attempt, func() {})
	}
	show := func(c chat.Call) activities.Output { return p.bus.NewTail(c.Session, c.Turn, c.ID) }
	return worker.Activities{
		Intake: &turn.Intake{Turns: p.store, Models: models, Personas: p.personas(), MaxSteps: c.MaxIterations, Words: t.Summaries == "on", Hooks: hooks, Totals: p.store.TurnTotals, Cost: answering{model: model, llm: l}.prices().Cost},
		Model: &turn.Model{
			Models: models, Steps: p.store, Tools: tools, Prompts: prompts, Open: open, Rules: p.policy.rules, Hooks: hooks,
			Context: assembler, Personas: p.personas(), Trees: p.store, Words: t.Summaries == "on",
			Retry: modelcall.Retry{Attempts: l.RetryAttempts, Delay: l.RetryDelay, MaxDelay: l.RetryMaxDelay},
		},
		Tools: &turn.Tools{
			Calls: p.store, Personas: p.personas(), Toolbox: tools, Boxes: boxes, Open: show, Starter: p.starter(t), Words: t.Summaries == "on",
		},
		Subagents: &agents.Subagents{Nursery: p.store},
		Groups:    &agents.Groups{Rooms: p.store, Words: t.Summaries == "on"},
		Background: &background.Background{
			Tasks: p.store, Boxes: boxes, Waker: taskWaker{p.waker(t)},
			Open: func(t chat.TaskRun, offset int64) activities.Output {
				return p.bus.NewTaskTail(t.Session, t.Task, t.Turn, offset)
			},
		},
		Commands:  &background.Commands{Bangs: p.store, Boxes: boxes, Link: p.outputLink},
		Approvals: &turn.Approvals{Questions: p.store, Wait: p.policy.Wait},
		Hooks:     p.hooks(hooks, boxes, compressor),
		Orders:    &activities.Orders{Book: p.store, Known: p.orders(models, boxes)},

		Compressor: compressor,
		Deliverer:  p.deliverer(t, boxes),
		Follower:   p.follower(),
		Receiver:   p.receiver(t, c.Keep, boxes),
		Timekeeper: p.timekeeper(t),
		Memorizer:  p.memorizer(models, assembler, c),
	}
}

// orders are the commands that turns carry out without a model.
func (p *parts) orders(models *choice.Choice, boxes activities.Boxes) []activities.Order {
	return []activities.Order{
		activities.RewindOrder(p.store),
		activities.CdOrder(p.store, boxes),
		activities.ModelOrder(p.store, choice.Catalog{Choice: models}),
		activities.NewOrder(p.store, models),
	}
}

// newDownload makes the tool that fetches what a model found.
func newDownload(cfg config.Permissions, version string) tool.Tool {
	allow, err := safehttp.ParseAllow(cfg.HTTPAllow)
	if err != nil {
		panic(err) // settings were checked when they were loaded
	}
	return web.NewDownload(safehttp.New(allow), "xbot/"+version)
}

// serveMetrics answers /metrics and /healthz of a worker, for a scraper and a supervisor.
func (p *parts) serveMetrics(ctx context.Context, addr string) error {
	l, err := httpserver.Listen(addr)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", p.tele.Handler())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
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
