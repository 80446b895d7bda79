package server

import (
	"context"
	"net"
	"net/url"
	"os"

	"golang.org/x/sync/errgroup"

	"xbot/ingress"
	"xbot/ingress/auth"
	"xbot/ingress/channels"
	"xbot/ingress/httpserver"
	"xbot/ingress/relay"
	"xbot/ingress/runners"
	"xbot/internal/config"
	"xbot/internal/contextview"
	"xbot/internal/llm"
	"xbot/internal/llm/choice"
	"xbot/internal/llm/limits"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/temporalclient"
	"xbot/internal/usage"
	"xbot/runner/wire"
)

// Ingress serves people until the process is told to stop.
func Ingress(ctx context.Context, cfg config.Ingress, version string) error {
	if err := needServers(cfg.Database, cfg.Temporal); err != nil {
		return err
	}
	model, err := NewModel(cfg.LLM)
	if err != nil {
		return err
	}
	listener, err := listen(cfg.HTTP)
	if err != nil {
		return err
	}
	p, err := assemble(ctx, "xbot ingress", settings{
		version: version, Home: cfg.Home, Secrets: cfg.Secrets, Telemetry: cfg.Telemetry, Prompt: cfg.Prompt, Memory: cfg.Memory, dsn: cfg.Database.URL, out: os.Stderr, encrypts: cfg.Codec == "on", limits: limitsOf(model, cfg.LLM),
		temporal: temporalclient.Config{Address: cfg.Address, Namespace: cfg.Namespace},
	})
	if err != nil {
		_ = listener.Close() // nothing was accepted on it
		return err
	}
	defer p.close(ctx)
	p.newCatalogue(model, cfg.LLM, nil)
	if p.policy, err = newPolicy(cfg.Permissions, p.tools(cfg.Permissions)); err != nil {
		_ = listener.Close() // nothing was accepted on it
		return err
	}
	in := newIngressPart(p, listener, cfg.HTTP, cfg.Temporal, cfg.Runner, cfg.Docker, answering{model, cfg.LLM, cfg.Context})
	var uiText string
	in.uiToken = cfg.UIToken
	if in.ui, uiText, err = givenUI(cfg.UI); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return p.bus.Run(ctx, p.dsn) })
	g.Go(func() error { return p.learnAttributes(ctx, cfg.Namespace) })
	g.Go(func() error { return in.run(ctx) })
	g.Go(func() error { return in.announce(ctx, os.Stdout, uiText) })
	return g.Wait()
}

func listen(cfg config.HTTP) (net.Listener, error) { return httpserver.Listen(cfg.Addr) }

// ingressPart is the half of the server that talks to people.
type ingressPart struct {
	*parts
	http       config.HTTP
	cfg        config.Temporal
	model      llm.Client
	listener   net.Listener
	ui         *url.URL
	uiToken    string
	auth       *auth.Auth
	dispatch   *ingress.Dispatch
	hub        *runners.Hub
	folders    *folders
	boxes      *resolver.Resolver
	containers *containers
	fleet      *ingress.Fleet
	history    *ingress.History
	meter      *ingress.Meter
	contexts   *contextview.Viewer
	minds      *ingress.Minds
	gateway    *ingress.Gateway
	hooks      *ingress.Hooks
	desk       *channels.Setup
	closing    chan struct{}
}

// answering is the model of the server and what is set of it.
type answering struct {
	model   llm.Client
	llm     config.LLM
	context config.Context
}

func (m answering) prices() usage.Prices {
	input, cached, output, known := m.llm.Prices()
	return usage.Prices{Model: m.model.Model(), Known: known, Input: input, Cached: cached, Output: output}
}

func newIngressPart(p *parts, l net.Listener, h config.HTTP, t config.Temporal, r config.Runner, d config.Docker, m answering) *ingressPart {
	p.admin = h.Admin
	in := &ingressPart{parts: p, listener: l, http: h, cfg: t, model: m.model, closing: make(chan struct{})}
	p.wakeLine(t)
	p.startCourier(t)
	p.openDesk(t)
	in.auth = &auth.Auth{Accounts: p.store, Hosts: auth.Hosts{Allowed: allowedHosts(h)}, Key: p.key, Proxies: h.TrustedProxies()}
	in.dispatch = &ingress.Dispatch{
		Inbox: p.store, Log: p.log, Waker: p.waker(t), Starter: p.starter(t), Policies: p.policies,
	}
	in.hub = runners.New(runners.Config{
		Registry: ingress.Registry{Store: p.store}, Kills: kills{p.store}, Address: in.internalURL(), Version: p.version, Log: p.log,
		OnConnect: func(ctx context.Context, id sandbox.RunnerID, info wire.Info) { in.folders.sync(ctx, id, info) },
	})
	in.folders = p.newFolders(in.hub)
	in.containers = p.newContainers(d, in.address())
	in.boxes = p.newResolver(in.hub, r, in.containers)
	in.fleet = &ingress.Fleet{
		Store: p.store, Resolver: in.boxes, Model: m.model.Model(), URL: h.URL, Log: p.log,
	}
	in.contexts = &contextview.Viewer{
		Store: p.store, Model: m.model.Model(), Models: limits.Table{Model: m.model.Model(), Others: p.models},
		MaskAt: m.context.MaskAt, CompressAt: m.context.CompressAt, Mode: m.context.Mode,
	}
	in.meter = &ingress.Meter{Store: p.store, Prices: m.prices()}
	in.minds = &ingress.Minds{Store: p.store, Desk: choice.Catalog{Choice: p.newChoice(m.model, in.boxes, m.llm)}}
	in.hooks = &ingress.Hooks{Store: p.store, Dispatch: in.dispatch, Files: p.hookFiles(in.boxes), Dispatcher: p.hookDispatcher(in.boxes)}
	in.history = &ingress.History{Store: p.store, Dispatch: in.dispatch}
	in.gateway = &ingress.Gateway{Store: p.store, Policies: p.policies, Dispatch: in.dispatch, Log: p.log}
	in.accounts.Base = in.base()
	in.triggers.Base = in.base()
	in.desk = in.newDesk()
	in.dispatch.Commands = in.commands()
	return in
}

// run answers requests and relays until ctx ends.
func (in *ingressPart) run(ctx context.Context) error {
	relay := &relay.Relay{
		Store: in.store, Waker: in.dispatch.Waker, Starter: in.starter(in.cfg), Client: in.temporal, Unpause: in.unpause, Log: in.log, Metrics: relay.NewRelayMetrics(in.tele.Registry), HeldAfter: in.http.Held,
	}
	routes, err := in.routes()
	if err != nil {
		return err
	}
	in.accounts.Env = in.env
	if err := in.accounts.TakeEnvironment(ctx, in.log); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	pauses := &ingress.Pauses{Store: in.store, Client: in.temporal, Unpause: in.unpause, Paused: ingress.NewPausedGauge(in.tele.Registry), Log: in.log}
	g.Go(func() error { return relay.Run(ctx) })
	g.Go(func() error { return pauses.Run(ctx) })
	g.Go(func() error { return in.containers.run(ctx) })
	g.Go(func() error { return in.desk.Run(ctx) })
	g.Go(func() error { return in.followHearts(ctx) })
	g.Go(func() error { return (&ingress.Orphans{Store: in.store, Boxes: in.boxes, Log: in.log}).Run(ctx) })
	g.Go(func() error { return in.prune(ctx, in.http.Keep) })
	g.Go(func() error {
		defer in.dispatch.Close()
		defer in.hub.Close()
		return httpserver.Serve(ctx, in.listener, routes.Handler(), in.closing, in.log)
	})
	return g.Wait()
}
