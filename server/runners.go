package server

import (
	"context"
	"net/http"
	"slices"

	"xbot/ingress/inside"
	"xbot/ingress/runners/manage"
	"xbot/internal/channel/remote"
	"xbot/internal/codingagent/login"
	"xbot/internal/config"
	"xbot/internal/fault"
	policies "xbot/internal/policy"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/server/hostrunner"
)

// hostRunners are the runners that this process starts itself.
func (c *core) hostRunners() *hostrunner.Host {
	return &hostrunner.Host{Store: c.store, Changes: c.bus, Log: c.log, DSN: c.dsn, Home: c.home, EnvFile: c.envFile, Admin: c.admin}
}

// internalKeys are what this process accepts of others: while the key is changed, that of before, too.
func (d *database) internalKeys() (keys []string) {
	for _, key := range d.key.Keys() {
		keys = append(keys, key.InternalKey())
	}
	return keys
}

// internal serves the other processes of this server.
func (in *ingressPart) internal() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/internal/runners/", in.hub.Inner())
	mux.Handle(remote.Path, remote.Handler(in.channels))
	return inside.GuardAny(in.internalKeys, mux)
}

// newResolver decides where commands run. local holds sockets in this process; nil in one that holds none.
func (c *core) newResolver(local sandbox.Local, cfg config.Runner, docker resolver.Docker) *resolver.Resolver {
	router := sandbox.NewRouter(sandbox.RouterConfig{
		Local: local, Holders: manage.Registry{Store: c.store}, Key: c.key, Kills: manage.Kills{Store: c.store},
	})
	return resolver.New(resolver.Config{Choices: c.store, Router: router, Docker: docker, Wait: cfg.Wait})
}

// LogIn says how it stands with the log-in of a coding agent on a runner.
type LogIn struct {
	Agent, Runner string
	Err           error  // as of login.Check
	State         string // in words
}

// LogIns asks the coding agents that the policy lists for their log-in, on each runner that is connected.
func LogIns(ctx context.Context, rows *store.Store, key *secret.Keyring) ([]LogIn, error) {
	policy, err := (&policies.Live{Source: rows}).Get(ctx)
	if err != nil {
		return nil, err
	}
	connected, err := rows.Runners(ctx)
	if err != nil {
		return nil, err
	}
	router := sandbox.NewRouter(sandbox.RouterConfig{Holders: manage.Registry{Store: rows}, Key: key})
	defer router.Close()
	var out []LogIn
	connected = slices.DeleteFunc(connected, func(r store.Runner) bool { return !r.Online })
	for _, m := range policy.Models {
		if !m.IsAgent() {
			continue
		}
		if len(connected) == 0 {
			out = append(out, LogIn{Agent: m.ID, Runner: "any runner", Err: fault.Errorf(fault.Unavailable, "none is connected"), State: "none is connected"})
		}
		for _, r := range connected {
			box := sandbox.NewRunner(r.Name, router.Link(resolver.ID(r.User, r.Name)), sandbox.RunnerConfig{})
			program := ""
			if m.Agent != nil {
				program = m.Agent.Command
			}
			err := login.Check(ctx, box, m.Dialect, program)
			out = append(out, LogIn{Agent: m.ID, Runner: r.Name + " of " + r.Owner, Err: err, State: login.State(m.Dialect, err)})
		}
	}
	return out, nil
}
