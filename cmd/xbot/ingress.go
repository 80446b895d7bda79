package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"xbot/ingress"
	"xbot/ingress/api"
	"xbot/ingress/auth"
	"xbot/ingress/channels"
	"xbot/ingress/hooks"
	"xbot/ingress/runners"
	"xbot/internal/chat"
	"xbot/internal/config"
	"xbot/internal/fault"
	"xbot/internal/filelink"
	"xbot/internal/llm"
	"xbot/internal/llm/choice"
	"xbot/internal/llm/limits"
	"xbot/internal/localstack"
	"xbot/internal/logs"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/secret"
	"xbot/internal/temporalclient"
	"xbot/internal/tool/task"
	"xbot/runner/wire"
	"xbot/web"
)

type ingressCmd struct{}

// Run serves people until the process is told to stop.
func (ingressCmd) Run(ctx context.Context) error {
	cfg, err := config.Load[config.Ingress](os.Environ())
	if err != nil {
		return err
	}
	if err := needServers(cfg.Database, cfg.Temporal); err != nil {
		return err
	}
	model, err := newModel(cfg.LLM)
	if err != nil {
		return err
	}
	listener, err := listen(cfg.HTTP)
	if err != nil {
		return err
	}
	p, err := assemble(ctx, "xbot ingress", settings{
		Home: cfg.Home, Secrets: cfg.Secrets, Telemetry: cfg.Telemetry, Prompt: cfg.Prompt, Memory: cfg.Memory, dsn: cfg.Database.URL, out: os.Stderr, limits: limitsOf(model, cfg.LLM),
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

func listen(cfg config.HTTP) (net.Listener, error) { return ingress.Listen(cfg.Addr) }

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
	contexts   *ingress.Contexts
	minds      *ingress.Minds
	gateway    *ingress.Gateway
	hooks      *ingress.Hooks
	desk       *channels.Desk
	closing    chan struct{}
}

// answering is the model of the server and what is set of it.
type answering struct {
	model   llm.Client
	llm     config.LLM
	context config.Context
}

func (m answering) prices() ingress.Prices {
	input, cached, output, known := m.llm.Prices()
	return ingress.Prices{Model: m.model.Model(), Known: known, Input: input, Cached: cached, Output: output}
}

func newIngressPart(p *parts, l net.Listener, h config.HTTP, t config.Temporal, r config.Runner, d config.Docker, m answering) *ingressPart {
	p.admin = h.Admin
	in := &ingressPart{parts: p, listener: l, http: h, cfg: t, model: m.model, closing: make(chan struct{})}
	p.wakeLine(t)
	p.startCourier(t)
	p.openDesk(t)
	in.auth = &auth.Auth{Accounts: p.store, Hosts: auth.Hosts{Allowed: allowedHosts(h)}}
	in.dispatch = &ingress.Dispatch{
		Inbox: p.store, Log: p.log, Waker: p.waker(t), Starter: p.starter(t), Policies: p.policies,
	}
	in.hub = runners.New(runners.Config{
		Registry: ingress.Registry{Store: p.store}, Kills: kills{p.store}, Address: in.internalURL(), Version: version, Log: p.log,
		OnConnect: func(ctx context.Context, id sandbox.RunnerID, info wire.Info) { in.folders.sync(ctx, id, info) },
	})
	in.folders = p.newFolders(in.hub)
	in.containers = p.newContainers(d, in.address())
	in.boxes = p.newResolver(in.hub, r, in.containers)
	in.fleet = &ingress.Fleet{
		Store: p.store, Resolver: in.boxes, Model: m.model.Model(), URL: h.URL, Log: p.log,
	}
	in.contexts = &ingress.Contexts{
		Store: p.store, Model: m.model.Model(), Models: limits.Table{Model: m.model.Model(), Others: p.models},
		MaskAt: m.context.MaskAt, CompressAt: m.context.CompressAt, Mode: m.context.Mode,
	}
	in.meter = &ingress.Meter{Store: p.store, Prices: m.prices()}
	in.minds = &ingress.Minds{Store: p.store, Desk: choice.Desk{Choice: p.newChoice(m.model, in.boxes, m.llm)}}
	in.hooks = &ingress.Hooks{Store: p.store, Dispatch: in.dispatch, Files: p.hookFiles(in.boxes), Desk: p.hookDesk(in.boxes)}
	in.history = &ingress.History{Store: p.store, Dispatch: in.dispatch}
	in.gateway = &ingress.Gateway{Store: p.store, Policies: p.policies, Dispatch: in.dispatch, Log: p.log}
	in.accounts.Base = in.base()
	in.triggers.Base = in.base()
	in.desk = in.newDesk()
	in.dispatch.Commands = in.commands()
	return in
}

func allowedHosts(h config.HTTP) []string {
	out := append([]string{}, h.Hosts...)
	for _, address := range []string{h.URL, h.Internal} {
		if u, err := url.Parse(address); err == nil && u.Hostname() != "" {
			out = append(out, strings.ToLower(u.Hostname()))
		}
	}
	if host, _, err := net.SplitHostPort(h.Addr); err == nil && host != "" {
		out = append(out, strings.ToLower(host))
	}
	return out
}

// address is where this process can be reached on this machine.
func (in *ingressPart) address() string {
	host, port, err := net.SplitHostPort(in.listener.Addr().String())
	if err != nil {
		return "http://" + in.listener.Addr().String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// internalURL is where workers of other processes reach this one.
func (in *ingressPart) internalURL() string {
	if in.http.Internal != "" {
		return in.http.Internal
	}
	return in.address()
}

// run answers requests and relays until ctx ends.
func (in *ingressPart) run(ctx context.Context) error {
	relay := &ingress.Relay{
		Ledger: in.store, Waker: in.dispatch.Waker, Starter: in.starter(in.cfg), Client: in.temporal, Log: in.log, Metrics: ingress.NewRelayMetrics(in.tele.Registry), HeldAfter: in.http.Held,
	}
	routes, err := in.routes()
	if err != nil {
		return err
	}
	if in.accounts.Env, err = config.Variables(os.Environ()); err != nil {
		return err
	}
	if err := in.accounts.TakeEnvironment(ctx, in.log); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return relay.Run(ctx) })
	g.Go(func() error { return in.containers.run(ctx) })
	g.Go(func() error { return in.desk.Run(ctx) })
	g.Go(func() error { return in.followHearts(ctx) })
	g.Go(func() error {
		defer in.dispatch.Close()
		defer in.hub.Close()
		return ingress.Serve(ctx, in.listener, routes.Handler(), in.closing, in.log)
	})
	return g.Wait()
}

func (in *ingressPart) routes() (ingress.Routes, error) {
	a := &api.API{
		Policy: api.Policy{Tools: in.policy.tools, Rules: in.policy.rules, Live: in.policies},
		Store:  in.store, Bus: in.bus, Dispatch: in.dispatch, Gateway: in.gateway, Fleet: in.fleet, History: in.history, Meter: in.meter, Memory: in.recollections().Desk, Contexts: in.contexts, Models: in.models, Minds: in.minds, Auth: in.auth, Log: in.log, Closing: in.closing,
		Boxes: in.boxes, Links: filelink.New(in.key),
		Channels: api.Channels{Book: in.accounts, Live: in.channels, Trial: &channels.Trial{Book: in.accounts, Live: in.channels}},
		Hooks:    in.hooks,
		Jobs:     in.jobs,
		Killer:   task.Killer{Kills: in.store, Boxes: in.boxes},
		Triggers: in.triggers,
		Logs:     logs.Reader{Home: in.home},
		Info: api.Info{
			Version: version, Model: in.model.Model(), Demo: strings.HasPrefix(in.model.Model(), "demo/"),
			Namespace: in.cfg.Namespace, TemporalUI: in.ui != nil, StartedAt: time.Now(),
		},
	}
	internal, err := in.internal()
	if err != nil {
		return ingress.Routes{}, err
	}
	r := ingress.Routes{
		API: a.Handler(), OpenAPI: openAPIHandler(), Page: web.Handler(), Host: in.auth.Hosts.Check, Refuse: a.Refuse,
		Runners: in.hub, Internal: internal, Ready: in.ready,
		Files:   &ingress.Files{Links: a.Links, Accounts: in.store, Boxes: in.boxes, Log: in.log},
		Metrics: in.auth.Require(in.tele.Handler(), a.Refuse), Channels: in.desk,
		Hooks: (&hooks.Hooks{Store: in.store, Key: in.key, Waker: in.dispatch.Waker, Log: in.log}).Handler(),
	}
	if in.ui != nil {
		allowed := func(q *http.Request) bool { return auth.User(q.Context()).Admin }
		r.Temporal = in.auth.Require(ingress.TemporalUI(in.ui, localstack.UITokenHeader, in.uiToken, auth.CookieName, allowed), a.Refuse)
	}
	return r, nil
}

// ready reports whether this process can accept messages and wake turns. Anybody may ask, so it names no addresses.
func (in *ingressPart) ready(ctx context.Context) error {
	if err := in.store.Ping(ctx); err != nil {
		in.log.Debug("not ready", "error", err)
		return fault.Errorf(fault.Unavailable, "Postgres does not answer")
	}
	if _, err := in.temporal.CheckHealth(ctx, nil); err != nil {
		in.log.Debug("not ready", "error", err)
		return fault.Errorf(fault.Unavailable, "Temporal does not answer")
	}
	return nil
}

// readyWait bounds how long the announcement waits for the server to answer.
const readyWait = time.Minute

// announce waits until the server is ready, notes how local programs reach it, and prints where it is.
func (in *ingressPart) announce(ctx context.Context, w io.Writer, uiText string) error {
	deadline := time.Now().Add(readyWait)
	for in.ready(ctx) != nil && ctx.Err() == nil && time.Now().Before(deadline) {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(20 * time.Millisecond):
		}
	}
	admin, err := in.store.EnsureAdmin(ctx, in.http.Admin)
	if err != nil {
		return err
	}
	base := in.base()
	link, err := in.auth.NewLink(ctx, admin.ID, base)
	if err != nil {
		return err
	}
	if err := in.noteLocal(ctx, admin.ID); err != nil {
		return err
	}
	if in.ui != nil && uiText == "" {
		uiText = strings.TrimRight(base, "/") + "/temporal/"
	}
	say(w, "xbot      %s   (sign in once with this link)", link)
	if uiText != "" {
		say(w, "Temporal  %s", uiText)
	}
	say(w, "data      %s", in.home)
	return nil
}

// local is what programs of the same user need to reach this server: $XBOT_HOME/run/serve.json.
type local struct {
	URL     string `json:"url"`
	PID     int    `json:"pid"`
	Token   string `json:"token"`
	Version string `json:"version"`
}

// localToken names the token of the programs beside this server, of which a database may have several. A new start
// makes another.
func (in *ingressPart) localToken() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return "local programs of " + host + ":" + in.home
}

// localTokens is how many of these tokens hold: what stands in the note while a server starts, which may have been killed before it
// wrote a new one, must not be refused, nor what a program has just read there.
const localTokens = 3

func (in *ingressPart) noteLocal(ctx context.Context, admin chat.UserID) error {
	token, hash := secret.NewToken()
	if _, err := in.store.CreateToken(ctx, admin, in.localToken(), hash); err != nil {
		return err
	}
	data, err := json.Marshal(local{URL: in.address(), PID: os.Getpid(), Token: token, Version: version})
	if err != nil {
		return err
	}
	path := filepath.Join(in.home, "run", "serve.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp := path + ".new"
	if err := errors.Join(os.WriteFile(tmp, data, 0o600), os.Rename(tmp, path)); err != nil {
		return err
	}
	return in.store.RevokeOlderTokens(ctx, admin, in.localToken(), localTokens)
}
