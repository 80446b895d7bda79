package main

import (
	"context"
	"encoding/base64"

	"xbot/ingress/runners"
	"xbot/internal/config"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/store"
)

// registry is the connection table as the hub of sockets sees it.
type registry struct{ *store.Store }

var _ runners.Registry = registry{}

// Authenticate finds the runner of a token. Who could stand for the server's own host would get the commands of its
// administrators, so only they may.
func (r registry) Authenticate(ctx context.Context, tokenHash []byte) (runners.Identity, error) {
	name, user, admin, err := r.RunnerByToken(ctx, tokenHash)
	if err != nil {
		return runners.Identity{}, err
	}
	if name == resolver.Local && !admin {
		return runners.Identity{}, fault.Errorf(fault.Denied, "the runner %q is the server's own host, and this token does not belong to an administrator", name)
	}
	return runners.Identity{ID: resolver.ID(user, name), Name: name, User: user}, nil
}

// Good returns the tokens that still let somebody in.
func (r registry) Good(ctx context.Context, tokenHashes [][]byte) ([][]byte, error) {
	return r.RunnersSeen(ctx, tokenHashes)
}

// Connected notes a new connection.
func (r registry) Connected(ctx context.Context, c runners.Connection) (int64, error) {
	return r.Store.Connected(ctx, string(c.ID), c.Holder, c.Token, c.Info)
}

// Disconnected removes a connection.
func (r registry) Disconnected(ctx context.Context, id sandbox.RunnerID, epoch int64) error {
	return r.Store.Disconnected(ctx, string(id), epoch)
}

// Holder finds the process that holds a runner's socket.
func (r registry) Holder(ctx context.Context, id sandbox.RunnerID) (string, int64, bool, error) {
	return r.Store.Holder(ctx, string(id))
}

// internalKey is what the processes of one server show one another.
func (p *parts) internalKey() string {
	return base64.RawURLEncoding.EncodeToString(p.key.Derive("internal endpoint"))
}

// newResolver decides where commands run. local holds sockets in this process; nil in one that holds none.
func (p *parts) newResolver(local sandbox.Local, cfg config.Runner) *resolver.Resolver {
	router := sandbox.NewRouter(sandbox.RouterConfig{
		Local: local, Holders: registry{p.store}, Key: p.internalKey(), Kills: kills{p.store},
	})
	return resolver.New(resolver.Config{Choices: p.store, Router: router, Wait: cfg.Wait})
}
