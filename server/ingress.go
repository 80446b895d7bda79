package server

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"os"

	"xbot/ingress/agentquestions"
	"xbot/ingress/auth"
	"xbot/ingress/callreview"
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
	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/llm/choice"
	"xbot/internal/llm/limits"
	"xbot/internal/turn/contextview"
	"xbot/server/hostrunner"
	"xbot/server/metrics"
)

// OpenIngress opens the part that talks to users.
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
	s.serve(c.db.listenFeed, c.temporal.learnAttributes, c.temporal.outages.Run, in.run, func(ctx context.Context) error { return in.announce(ctx, os.Stdout) })
	return s, nil
}

// listen opens the port of the process before anything else, so that a second server on it fails at once.
func (s *Server) listen(cfg config.HTTP) (net.Listener, error) {
	l, err := httpserver.Listen(cfg.Addr, slog.Default(), cfg.TrustedProxies()...)
	if err == nil {
		s.onClose(func() { _ = l.Close() }) // closed already once it was served
	}
	return l, err
}

// ingressSettings are the settings that only the part that talks to users needs.
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

// temporalUI is the Temporal UI that users reach through the ingress.
type temporalUI struct {
	target *url.URL // nil if there is none
	token  string
	text   string // the address for the operator; empty: the address here
}

// ingressPart is the half of the server that talks to users.
type ingressPart struct {
	core       *core
	agents     *agents
	http       config.HTTP
	oidc       config.OIDC
	at         addresses
	ui         temporalUI
	holder     string // distinguishes this process from others at its address
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

// views show users the state of their conversations, and change it.
type views struct {
	runners  *manage.Runners
	history  *history.Editor
	usage    *spending.Usage
	contexts *contextview.Viewer
	words    choice.Catalog
}

func newIngressPart(c *core, s ingressSettings) (*ingressPart, error) {
	stores := c.stores
	if s.oidc.Issuer != "" && s.oidc.ClientID == "" {
		return nil, fault.Errorf(fault.Invalid, "XBOT_OIDC_ISSUER is set, but not XBOT_OIDC_CLIENT_ID: what the provider knows xbot as")
	}
	hub := runners.New(runners.Config{
		Registry: manage.Registry{Runners: stores.Runners}, Kills: manage.Kills{Calls: stores.Calls}, Address: s.at.internal(), Version: c.proc.version, Log: c.proc.log, Syncer: runners.NewFolders(c.proc.home, c.proc.log), Access: c.db.bus,
	})
	docker := hostrunner.NewContainers(c.hostRunners(), s.docker, s.at.own())
	a, err := newAgents(c, c.newResolver(hub, s.runner, docker))
	if err != nil {
		return nil, err
	}
	in := &ingressPart{
		core: c, agents: a, http: s.http, oidc: s.oidc, at: s.at, ui: s.ui, holder: secretName(), hub: hub, containers: docker, closing: make(chan struct{}),
		auth:     &auth.Auth{Accounts: stores.Users, Hosts: auth.Hosts{Allowed: allowedHosts(s.http)}, Key: c.db.key, Proxies: s.http.TrustedProxies()},
		dispatch: &intake.Dispatch{Calls: stores.Calls, Turns: stores.Turns, Wakes: c.temporal.wakes, Policies: c.db.policies},
	}
	if s.alone {
		in.holder = "own"
	}
	in.views = newViews(a, in.dispatch, s)
	in.hooks = &hooks.Admin{
		Conversations: stores.Conversations, Calls: stores.Calls, Hooks: stores.Hooks, Dispatch: in.dispatch, Files: a.hookFiles(),
		Dispatcher: a.hookDispatcher(),
	}
	in.dispatch.Judge = &callreview.Judge{Tools: a.tools, Authorizers: a.authorizers(), Hooks: in.hooks}
	in.gateway = &gateway.Gateway{
		Stores: gateway.Stores{
			Conversations: stores.Conversations, Routing: stores.Routing, GroupMessages: stores.GroupMessages, Edits: stores.Edits,
			Calls: stores.Calls, Users: stores.Users, Links: stores.Links, Notices: stores.Notices, Services: stores.Services,
			Turns: stores.Turns,
		},
		Policies: c.db.policies, Dispatch: in.dispatch, Runners: a.boxes, Models: a.choice, Preferences: in.core.preferences(), Base: in.at.people(),
		Log: c.proc.log,
	}
	in.setup = in.newSetup()
	in.dispatch.Commands = in.slashCommands() // commands dispatch messages, too
	return in, nil
}

func newViews(a *agents, d *intake.Dispatch, s ingressSettings) views {
	stores := a.core.stores
	name := a.core.models.model.Model()
	return views{
		runners: &manage.Runners{
			Settings: stores.Settings, Runners: stores.Runners, Resolver: a.boxes, Usual: a.core.usual(), URL: s.http.URL,
			Confine: s.runner.Confine, Log: a.core.proc.log,
		},
		contexts: &contextview.Viewer{
			Conversations: stores.Conversations, Usage: stores.Usage, Answering: a.choice, Models: limits.Table{Model: name, Others: a.core.models.catalogue},
			MaskAt: s.context.MaskAt, CompressAt: s.context.CompressAt, Mode: s.context.Mode,
		},
		usage:   &spending.Usage{Usage: stores.Usage, Media: stores.Media, Prices: a.core.models.catalogue},
		words:   choice.Catalog{Choice: a.choice},
		history: &history.Editor{Conversations: stores.Conversations, Branches: stores.Branches, Turns: stores.Turns, Dispatch: d},
	}
}

// run answers requests and relays until ctx ends.
func (in *ingressPart) run(ctx context.Context) error {
	stores := in.core.stores
	routes, consumers := in.routes(), in.consumers()
	in.core.proc.tele.Registry.MustRegister(metrics.NewInbox(stores.Inspection, in.core.proc.log), metrics.NewRunners(in.hub.Connected))
	measured := httpserver.NewMetrics(in.core.proc.tele.Registry)
	routes.Others[consumer.Root] = consumers
	var notified chat.Address
	err := in.core.proc.untilPostgres(ctx, func(ctx context.Context) (err error) {
		if err := in.core.platforms.accounts.TakeEnvironment(ctx, in.core.proc.log); err != nil {
			return err
		}
		notified, err = in.operatorChats(ctx)
		return err
	})
	if err != nil {
		return err
	}
	pauses := &relay.Pauses{
		Store: stores.Pauses, Cron: stores.Cron, Client: in.core.temporal.client, Unpauser: in.core.temporal,
		Paused: relay.NewPausedGauge(in.core.proc.tele.Registry), Log: in.core.proc.log,
	}
	s := &Server{}
	s.serve(
		in.newRelay().Run, pauses.Run, in.containers.Run, in.setup.Run, in.followHeartbeats, in.prune, in.core.mcpFile().Follow, in.noticeStart(notified),
		(&orphans.Sweeper{Store: stores.Attachments, Boxes: in.agents.boxes, Log: in.core.proc.log}).Run,
		(&agentquestions.Closer{CodingAgents: stores.CodingAgents, Calls: stores.Calls, Boxes: in.agents.boxes, Log: in.core.proc.log}).Run,
		func(ctx context.Context) error {
			defer in.dispatch.Close()
			defer in.hub.Close()
			defer consumers.Records(ctx)() // until the last request was answered
			return httpserver.Serve(ctx, in.at.listener, measured.Measure(routes.Handler()), in.closing, in.core.proc.log)
		},
	)
	return s.Run(ctx)
}

func (in *ingressPart) newRelay() *relay.Relay {
	stores := in.core.stores
	return &relay.Relay{
		Agents: stores.Agents, Attachments: stores.Attachments, Calls: stores.Calls, Conversations: stores.Conversations, Cron: stores.Cron, Deliveries: stores.Deliveries, Inbox: stores.Inbox, Leases: stores.Leases, Turns: stores.Turns, Users: stores.Users, Wakes: in.core.temporal.wakes, Client: in.core.temporal.client, Unpauser: in.core.temporal, Log: in.core.proc.log,
		Metrics: relay.NewMetrics(in.core.proc.tele.Registry), HeldAfter: in.http.Held,
	}
}
