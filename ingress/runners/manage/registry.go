package manage

import (
	"context"

	"xbot/ingress/runners"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	storerunners "xbot/internal/sandbox/runners"
)

// Registry is the store as the hub of runners' sockets sees it: who may connect, and the connection table.
type Registry struct{ Runners *storerunners.Store }

var _ runners.Registry = Registry{}

// Authenticate finds the runner of a token. A runner for the server's own host gets the commands of administrators, so only
// administrators may own one.
func (r Registry) Authenticate(ctx context.Context, tokenHash []byte) (runners.Identity, error) {
	name, user, admin, err := r.Runners.RunnerByToken(ctx, tokenHash)
	if err != nil {
		return runners.Identity{}, err
	}
	if name == resolver.Local && !admin {
		return runners.Identity{}, fault.Errorf(fault.Denied, "the runner %q is the server's own host, and this token does not belong to an administrator", name)
	}
	return runners.Identity{ID: resolver.ID(user, name), Name: name, User: user}, nil
}

// Good returns the tokens that are still good.
func (r Registry) Good(ctx context.Context, tokenHashes [][]byte) ([][]byte, error) {
	return r.Runners.RunnersSeen(ctx, tokenHashes)
}

// Connected notes a new connection.
func (r Registry) Connected(ctx context.Context, c runners.Connection) (int64, error) {
	return r.Runners.Connected(ctx, string(c.ID), c.Holder, c.Token, c.Info)
}

// Disconnected removes a connection.
func (r Registry) Disconnected(ctx context.Context, id sandbox.RunnerID, epoch int64) error {
	return r.Runners.Disconnected(ctx, string(id), epoch)
}

// Holder finds the process that holds a runner's socket.
func (r Registry) Holder(ctx context.Context, id sandbox.RunnerID) (string, int64, bool, error) {
	return r.Runners.Holder(ctx, string(id))
}
