package server

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"os"

	"xbot/ingress/agentquestions"
	"xbot/ingress/amend"
	"xbot/ingress/auth"
	"xbot/ingress/channels"
	"xbot/ingress/consumer"
	"xbot/ingress/gateway"
	"xbot/ingress/history"
	"xbot/ingress/hooks"
	"xbot/ingress/httpserver"
	"xbot/ingress/intake"
	"xbot/ingress/orphans"
	"xbot/ingress/relay"
	"xbot/ingress/runners"
	"xbot/ingress/runners/manage"
	"xbot/ingress/spending"
	"xbot/internal/chat"
	"xbot/internal/config"
	"xbot/internal/contextview"
	"xbot/internal/fault"
	"xbot/internal/llm/choice"
	"xbot/internal/llm/limits"
	"xbot/server/hostrunner"
	"xbot/server/metrics"
)

// OpenIngress opens the part that talks to people.
func OpenIngress(ctx context.Context, cfg config.Ingress, version string) (*Server, error) {
	if err := needServers(cfg.Database, cfg.Temporal); err != nil {
		return nil, err
	}
	model, err := NewModel(cfg.LLM)
	if err != nil {
		return nil, err
	}
	ui, err := givenUI(cfg.Temporal)
	if err != nil {
		return nil, err
	}
	s := &Server{}
	listener, err := s.listen(cfg.HTTP)
	if err != nil {
		return nil, err
	}
	c, err := newCore(ctx, ofIngress(cfg, version, model, listener), s)
	if err != nil {
		return s.opened(err)
	}
	in, err := newIngressPart(c, ingressSettings{cfg.HTTP, cfg.OIDC, cfg.Runner, cfg.Docker, cfg.Context, addresses{cfg.HTTP, listener}, ui, false})
	if err != nil {
		return s.opened(err)
	}
	s.serve(c.listenFeed, c.learnAttributes, c.outages.Run, in.run, func(ctx context.Context) error { return in.announce(ctx, os.Stdout) })
	return s, nil
}

// listen opens the port of the process before anything else, so that a second server on it says so at once.
func (s *Server) listen(cfg config.HTTP) (net.Listener, error) {
	l, err := httpserver.Listen(cfg.Addr, slog.Default(), cfg.TrustedProxies()...)
	if err == nil {
		s.onClose(func() { _ = l.Close() }) // closed already once it was served
	}
	return l, err
}

// ingressSettings are what only the part that talks to people needs.
type ingressSettings struct {
	http    config.HTTP
	oidc    config.OIDC
	runner  config.Runner
	docker  config.Docker
	context config.Context
	at      addresses
	ui      temporalUI
	alone   bool // no other server has this database: a connection that is held is held by one that was killed
}

// temporalUI is the Temporal UI that people reach through the ingress.
type temporalUI struct {
	target *url.URL // nil if there is none
	token  string
	text   string // what the operator reads; empty: the address here
}

// ingressPart is the half of the server that talks to people.
type ingressPart struct {
	*agents
	http       config.HTTP
	oidc       config.OIDC
	at         addresses
	ui         temporalUI
	holder     string // tells this process from others at its address
	auth       *auth.Auth
	dispatch   *intake.Dispatch
	hub        *runners.Hub
	containers *hostrunner.Containers
	views      views
	gateway    *gateway.Gateway
	hooks      *hooks.Admin
	setup      *channels.Setup
	closing    chan struct{}
}

// views show people how their conversations stand, and change it.
type views struct {
	runners  *manage.Runners
	history  *history.Editor
	usage    *spending.Usage
	contexts *contextview.Viewer
	words    choice.Catalog
}

func newIngressPart(c *core, s ingressSettings) (*ingressPart, error) {
	if s.oidc.Issuer != "" && s.oidc.ClientID == "" {
		return nil, fault.Errorf(fault.Invalid, "XBOT_OIDC_ISSUER is set, but not XBOT_OIDC_CLIENT_ID: what the provider knows xbot as")
	}
	hub := runners.New(runners.Config{
		Registry: manage.Registry{Store: c.store}, Kills: manage.Kills{Store: c.store}, Address: s.at.internal(), Version: c.version, Log: c.log, Syncer: runners.NewFolders(c.home, c.log), Access: c.bus,
	})
	docker := hostrunner.NewContainers(c.hostRunners(), s.docker, s.at.own())
	a, err := newAgents(c, c.newResolver(hub, s.runner, docker))
	if err != nil {
		return nil, err
	}
	in := &ingressPart{
		agents: a, http: s.http, oidc: s.oidc, at: s.at, ui: s.ui, holder: secretName(), hub: hub, containers: docker, closing: make(chan struct{}),
		auth:     &auth.Auth{Accounts: c.store, Hosts: auth.Hosts{Allowed: allowedHosts(s.http)}, Key: c.key, Proxies: s.http.TrustedProxies()},
		dispatch: &intake.Dispatch{Inbox: c.store, Wakes: c.wakes, Policies: c.policies},
	}
	if s.alone {
		in.holder = "own"
	}
	in.views = newViews(a, in.dispatch, s)
	in.hooks = &hooks.Admin{Store: c.store, Dispatch: in.dispatch, Files: a.hookFiles(), Dispatcher: a.hookDispatcher()}
	in.dispatch.Judge = &amend.Judge{Tools: a.tools, Authorizers: a.authorizers(), Hooks: in.hooks}
	in.gateway = &gateway.Gateway{Store: c.store, Policies: c.policies, Dispatch: in.dispatch, Runners: a.boxes, Models: a.choice, Preferences: in.preferences(), Base: in.at.people(), Log: c.log}
	in.setup = in.newSetup()
	in.dispatch.Commands = in.slashCommands() // commands dispatch messages, too
	return in, nil
}

func newViews(a *agents, d *intake.Dispatch, s ingressSettings) views {
	name := a.model.Model()
	return views{
		runners: &manage.Runners{Store: a.store, Resolver: a.boxes, Usual: a.usual(), URL: s.http.URL, Confine: s.runner.Confine, Log: a.log},
		contexts: &contextview.Viewer{
			Store: a.store, Answering: a.choice, Models: limits.Table{Model: name, Others: a.catalogue},
			MaskAt: s.context.MaskAt, CompressAt: s.context.CompressAt, Mode: s.context.Mode,
		},
		usage:   &spending.Usage{Store: a.store, Prices: a.catalogue},
		words:   choice.Catalog{Choice: a.choice},
		history: &history.Editor{Store: a.store, Dispatch: d},
	}
}

// run answers requests and relays until ctx ends.
func (in *ingressPart) run(ctx context.Context) error {
	routes, consumers := in.routes(), in.consumers()
	in.tele.Registry.MustRegister(metrics.NewInbox(in.store, in.log), metrics.NewRunners(in.hub.Connected))
	measured := httpserver.NewMetrics(in.tele.Registry)
	routes.Others[consumer.Root] = consumers
	var notified chat.Address
	err := in.untilPostgres(ctx, func(ctx context.Context) (err error) {
		if err := in.accounts.TakeEnvironment(ctx, in.log); err != nil {
			return err
		}
		notified, err = in.operatorChats(ctx)
		return err
	})
	if err != nil {
		return err
	}
	pauses := &relay.Pauses{Store: in.store, Client: in.temporal, Unpauser: in.orchestration, Paused: relay.NewPausedGauge(in.tele.Registry), Log: in.log}
	s := &Server{}
	s.serve(
		in.newRelay().Run, pauses.Run, in.containers.Run, in.setup.Run, in.followHeartbeats, in.prune, in.mcpFile().Follow, in.noticeStart(notified),
		(&orphans.Sweeper{Store: in.store, Boxes: in.boxes, Log: in.log}).Run,
		(&agentquestions.Closer{Store: in.store, Boxes: in.boxes, Log: in.log}).Run,
		func(ctx context.Context) error {
			defer in.dispatch.Close()
			defer in.hub.Close()
			defer consumers.Records(ctx)() // until the last request was answered
			return httpserver.Serve(ctx, in.at.listener, measured.Measure(routes.Handler()), in.closing, in.log)
		},
	)
	return s.Run(ctx)
}

func (in *ingressPart) newRelay() *relay.Relay {
	return &relay.Relay{
		Store: in.store, Wakes: in.wakes, Client: in.temporal, Unpauser: in.orchestration, Log: in.log,
		Metrics: relay.NewMetrics(in.tele.Registry), HeldAfter: in.http.Held,
	}
}
