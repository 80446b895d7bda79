package server

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"xbot/ingress/peerauth"
	"xbot/ingress/runners/manage"
	"xbot/internal/channel/remote"
	"xbot/internal/codingagent"
	"xbot/internal/codingagent/login"
	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/sandbox/runners"
	"xbot/internal/secret"
	"xbot/internal/store"
	policies "xbot/internal/turn/policy"
	"xbot/server/hostrunner"
)

// hostRunners returns the runners that this process starts itself.
func (c *core) hostRunners() *hostrunner.Host {
	return &hostrunner.Host{
		Notices: c.stores.Notices, Runners: c.stores.Runners, Users: c.stores.Users, Changes: c.db.bus, Log: c.proc.log, DSN: c.db.dsn,
		Home: c.proc.home, EnvFile: c.proc.envFile, Admin: c.admin,
	}
}

// internalKeys returns the keys of others that this process accepts: while the key is changed, the old one, too.
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
	mux.Handle(remote.Path, remote.Handler(in.core.platforms.channels))
	return peerauth.GuardAny(in.core.db.internalKeys, mux)
}

// newResolver decides where commands run. local holds sockets in this process; nil in one that holds none.
func (c *core) newResolver(local sandbox.Local, cfg config.Runner, docker resolver.Docker) *resolver.Resolver {
	router := sandbox.NewRouter(sandbox.RouterConfig{
		Local: local, Holders: manage.Registry{Runners: c.stores.Runners}, Key: c.db.key, Kills: manage.Kills{Calls: c.stores.Calls},
	})
	return resolver.New(resolver.Config{Choices: c.stores.Runners, Router: router, Docker: docker, Wait: cfg.Wait})
}

// LogIn is the result of the log-in check of a coding agent on a runner.
type LogIn struct {
	Agent, Runner string
	Err           error  // as of login.Check
	State         string // in words
}

// LogIns checks the coding agents of the policy on each runner that is connected, all at the same time.
func LogIns(ctx context.Context, rows *store.Store, key *secret.Keyring) ([]LogIn, error) {
	policy, err := (&policies.Live{Services: rows.Services, Settings: rows.Settings}).Get(ctx)
	if err != nil {
		return nil, err
	}
	connected, err := rows.Runners.Runners(ctx)
	if err != nil {
		return nil, err
	}
	newest, err := rows.CodingAgents.NewestCodingRuns(ctx)
	if err != nil {
		return nil, err
	}
	router := sandbox.NewRouter(sandbox.RouterConfig{Holders: manage.Registry{Runners: rows.Runners}, Key: key})
	defer router.Close()
	connected = slices.DeleteFunc(connected, func(r runners.Runner) bool { return !r.Online })
	var found []*LogIn
	var checks sync.WaitGroup
	for _, m := range policy.Models {
		if !m.IsAgent() {
			continue
		}
		if len(connected) == 0 {
			found = append(found, &LogIn{
				Agent: m.ID, Runner: "any runner", Err: fault.Errorf(fault.Unavailable, "none is connected"), State: "none is connected",
			})
		}
		for _, r := range connected {
			agent := login.Agent{Name: m.Dialect, Answered: answeredAt(newest, m.Dialect, r)}
			if m.Agent != nil {
				agent.Program = m.Agent.Command
			}
			one := &LogIn{Agent: m.ID, Runner: r.Name + " of " + r.Owner}
			found = append(found, one)
			checks.Go(func() {
				box := sandbox.NewRunner(r.Name, router.Link(resolver.ID(r.User, r.Name)), sandbox.RunnerConfig{})
				if one.State, one.Err = login.Check(ctx, box, agent); one.Err != nil {
					one.State = one.Err.Error()
				}
			})
		}
	}
	checks.Wait()
	out := make([]LogIn, len(found))
	for i, one := range found {
		out[i] = *one
	}
	return out, nil
}

// answeredAt returns when the newest turn of an agent on a runner was answered; zero if it failed, or none is kept. All users of the server's
// own runner share its log-ins.
func answeredAt(newest []codingagent.NewestRun, agent string, r runners.Runner) time.Time {
	var last codingagent.NewestRun
	for _, n := range newest {
		shared := r.Name == resolver.Local || n.Owner == r.User
		if n.Agent == agent && n.Runner == r.Name && shared && n.At.After(last.At) {
			last = n
		}
	}
	if !last.Answered {
		return time.Time{}
	}
	return last.At
}
