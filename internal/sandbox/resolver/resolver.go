// Package resolver decides where a user's commands run. The runner that a session names comes first, then the one that
// its user made active, then the container of the server where it offers one, then, for administrators, the server's own
// host, then the user's only runner. A named runner is never replaced by another: one that is away or gone is an error.
package resolver

import (
	"context"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
)

// Choices returns what users chose and which runners they have.
type Choices interface {
	// RunnerChoice returns the data of the runner of the given name, else of the user's active runner.
	RunnerChoice(ctx context.Context, user chat.UserID, asked string) (chat.RunnerChoice, error)
}

// Docker supplies containers of the server.
type Docker interface {
	Enabled() bool
	// Want asks for the container of a user and does not wait for it: its runner connects when it is there.
	Want(ctx context.Context, user chat.UserID) error
}

// Config configures a Resolver.
type Config struct {
	Choices Choices
	Router  *sandbox.Router
	Docker  Docker        // nil: the server has no containers
	Wait    time.Duration // for a runner that is offline; 0 means 30 s
}

// Resolver finds sandboxes. It is safe for concurrent use.
type Resolver struct {
	cfg   Config
	mu    sync.Mutex
	known map[sandbox.RunnerID]*sandbox.Runner
	away  map[sandbox.RunnerID]bool // Seen waited in vain, and has not found the runner since
}

// New makes a resolver. The caller owns the router.
func New(cfg Config) *Resolver {
	return &Resolver{cfg: cfg, known: map[sandbox.RunnerID]*sandbox.Runner{}, away: map[sandbox.RunnerID]bool{}}
}

// Box returns the sandbox of a user's runner, whose Name is the runner's. It does not wait for the runner. Denied explains
// why there is none, and what to do.
func (r *Resolver) Box(ctx context.Context, user chat.UserID, asked string) (sandbox.Sandbox, error) {
	runner, err := r.Runner(ctx, user, asked)
	if err != nil {
		return nil, err
	}
	return runner, nil
}

// Runner is Box for callers that need more than the port: the runner's model, for one.
func (r *Resolver) Runner(ctx context.Context, user chat.UserID, asked string) (*sandbox.Runner, error) {
	name, err := r.Name(ctx, user, asked)
	if err != nil {
		return nil, err
	}
	if name == Container {
		if err := r.cfg.Docker.Want(ctx, user); err != nil {
			return nil, err
		}
	}
	return r.runner(user, name), nil
}

// Host returns the sandbox of the server's own host, for what belongs to no user.
func (r *Resolver) Host() sandbox.Sandbox { return r.runner(0, Local) }

func (r *Resolver) runner(user chat.UserID, name string) *sandbox.Runner {
	id := ID(user, name)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[id] == nil {
		r.known[id] = sandbox.NewRunner(name, r.cfg.Router.Link(id), sandbox.RunnerConfig{OfflineWait: r.cfg.Wait})
	}
	return r.known[id]
}

// Seen returns the sandbox of a user's runner if it is connected, or connects before ctx ends; Unavailable if not. It waits
// for a runner once: until the runner has come back, it only looks. Unlike Box it starts no container.
func (r *Resolver) Seen(ctx context.Context, user chat.UserID, asked string) (sandbox.Sandbox, error) {
	name, err := r.Name(ctx, user, asked)
	if err != nil {
		return nil, err
	}
	id, runner := ID(user, name), r.runner(user, name)
	if r.isAway(id) {
		_, err = r.cfg.Router.Look(ctx, id)
	}
	if err == nil {
		_, err = runner.Info(ctx)
	}
	r.setAway(id, err != nil)
	if err != nil {
		return nil, fault.Errorf(fault.Unavailable, "runner %s is not there now: %w", name, err)
	}
	return runner, nil
}

func (r *Resolver) isAway(id sandbox.RunnerID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.away[id]
}

func (r *Resolver) setAway(id sandbox.RunnerID, away bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if away {
		r.away[id] = true
		return
	}
	delete(r.away, id)
}

// Name returns the name of the runner that a user's commands go to: asked, if it is not empty, or what applies without.
func (r *Resolver) Name(ctx context.Context, user chat.UserID, asked string) (string, error) {
	choice, err := r.cfg.Choices.RunnerChoice(ctx, user, asked)
	name, known, admin := choice.Name, choice.Known, choice.Admin
	switch {
	case err != nil:
		return "", err
	case choice.Outside: // their file systems are found by their conversations, and by nothing else
		return "", fault.Errorf(fault.Denied, "a consumer of a service has no machine")
	case name == "" && r.Containers():
		return Container, nil
	case name == "" && admin:
		return Local, nil
	case name == "" && choice.Sole != "":
		return choice.Sole, nil
	case name == "":
		return "", i18n.Fault(fault.Denied, i18n.RunnerNone)
	case name == Local && !admin:
		return "", fault.Errorf(fault.Denied, "the server's own host is for administrators: connect a runner of your own, or choose another one with /runner use NAME")
	case name == Container && !r.Containers():
		return "", fault.Errorf(fault.Denied, "this server runs no containers: choose another runner with /runner use NAME")
	case name != Local && name != Container && !known:
		return "", fault.Errorf(fault.Denied, "there is no runner %s any more: choose another one with /runner use NAME, or make it anew", name)
	}
	return name, nil
}

// Containers reports whether the server offers containers.
func (r *Resolver) Containers() bool { return r.cfg.Docker != nil && r.cfg.Docker.Enabled() }

// Drop closes the connection of a runner whose token is not valid any more, in whichever process holds it.
func (r *Resolver) Drop(ctx context.Context, id sandbox.RunnerID) error {
	return r.cfg.Router.Drop(ctx, id)
}
