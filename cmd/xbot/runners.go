package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"sync"

	"xbot/activities"
	"xbot/ingress/runners"
	"xbot/internal/chat"
	"xbot/internal/config"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/store"
)

// localRunner is the name of the runner on the server's own host.
const localRunner = "local"

// registry is the connection table as the hub of sockets sees it.
type registry struct{ *store.Store }

var _ runners.Registry = registry{}

// Authenticate finds the runner of a token.
func (r registry) Authenticate(ctx context.Context, tokenHash []byte) (runners.Identity, error) {
	_, name, user, err := r.RunnerByToken(ctx, tokenHash)
	return runners.Identity{ID: runnerID(user, name), Name: name, User: user}, err
}

// Connected notes a new connection.
func (r registry) Connected(ctx context.Context, c runners.Connection) (int64, error) {
	return r.Store.Connected(ctx, string(c.ID), c.Holder)
}

// Disconnected removes a connection.
func (r registry) Disconnected(ctx context.Context, id sandbox.RunnerID, epoch int64) error {
	return r.Store.Disconnected(ctx, string(id), epoch)
}

// Holder finds the process that holds a runner's socket.
func (r registry) Holder(ctx context.Context, id sandbox.RunnerID) (string, int64, bool, error) {
	return r.Store.Holder(ctx, string(id))
}

// runnerID names a runner uniquely: the name of a user's runner is unique among theirs only.
func runnerID(user chat.UserID, name string) sandbox.RunnerID {
	if name == localRunner {
		return localRunner
	}
	return sandbox.RunnerID(fmt.Sprintf("%d/%s", user, name))
}

// internalKey is what the processes of one server show one another.
func (p *parts) internalKey() string {
	return base64.RawURLEncoding.EncodeToString(p.key.Derive("internal endpoint"))
}

// boxes finds sandboxes over a router.
type boxes struct {
	store  *store.Store
	router *sandbox.Router
	cfg    config.Runner
	mu     sync.Mutex
	known  map[sandbox.RunnerID]*sandbox.Runner
}

var _ activities.Boxes = (*boxes)(nil)

func (p *parts) newBoxes(local sandbox.Local, cfg config.Runner) *boxes {
	router := sandbox.NewRouter(sandbox.RouterConfig{Local: local, Holders: registry{p.store}, Key: p.internalKey()})
	return &boxes{store: p.store, router: router, cfg: cfg, known: map[sandbox.RunnerID]*sandbox.Runner{}}
}

// Box returns the sandbox of a user's runner. The server's own host is for administrators.
func (b *boxes) Box(ctx context.Context, user chat.UserID, runner string) (sandbox.Sandbox, error) {
	if runner == "" {
		runner = localRunner
	}
	if runner == localRunner {
		u, err := b.store.UserByID(ctx, user)
		if err != nil {
			return nil, err
		}
		if !u.Admin {
			return nil, fault.Errorf(fault.Denied, "the server's own host is for administrators; connect a runner of your own")
		}
	}
	id := runnerID(user, runner)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known[id] == nil {
		b.known[id] = sandbox.NewRunner(runner, b.router.Link(id), sandbox.RunnerConfig{OfflineWait: b.cfg.Wait})
	}
	return b.known[id], nil
}
