package sandbox

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"xbot/runner/wire"
)

// Pauses between looks for a runner that is not connected. A runner that connects to this process is noticed at once.
const (
	lookFirst = 50 * time.Millisecond
	lookMost  = 250 * time.Millisecond
)

// Connection is one connection to a runner. It is of no use once it has ended: ask for another one.
type Connection interface {
	// Info returns the runner's info, or ErrOffline when the connection is over.
	Info(ctx context.Context) (wire.Info, error)
	// Call is as in Link.
	Call(ctx context.Context, req wire.Request, push func(wire.Push) error) (wire.Response, error)
}

// Local holds sockets of runners in this process.
type Local interface {
	Connection(id RunnerID) (Connection, bool)
	// Changed returns a channel that is closed when a runner connects.
	Changed() <-chan struct{}
	// Drop closes the connection of a runner whose token is no longer good. Without one it does nothing.
	Drop(id RunnerID)
}

// Holders returns which process holds a runner's socket: the connection table.
type Holders interface {
	Holder(ctx context.Context, id RunnerID) (addr string, epoch int64, ok bool, err error)
}

// Router finds the connection to a runner: the socket in this process, else one through the process that holds it.
type Router struct {
	local   Local
	holders Holders
	kills   Kills
	client  *http.Client
	key     KeySource

	mu     sync.Mutex
	remote map[RunnerID]*remoteConnection // as last found; dropped when it fails
}

// KeySource returns the key by which the processes of one server authenticate to each other, see runners.Hub.Internal. It may change while they run.
type KeySource interface {
	InternalKey() string
}

// RouterConfig configures a router: Local, or Holders and Key, or all.
type RouterConfig struct {
	Local   Local   // nil in a process that holds no sockets
	Holders Holders // nil when there is one process
	Key     KeySource
	Kills   Kills // keeps kills of runners that are out of reach; nil forgets them
}

// NewRouter makes a router. Close closes its connections.
func NewRouter(cfg RouterConfig) *Router {
	return &Router{
		local: cfg.Local, holders: cfg.Holders, kills: cfg.Kills, key: cfg.Key, client: newClient(), remote: map[RunnerID]*remoteConnection{},
	}
}

// Close closes idle connections to other processes. Calls under way continue.
func (r *Router) Close() { r.client.CloseIdleConnections() }

// Link returns a link to a runner, whichever process holds its socket now or later.
func (r *Router) Link(id RunnerID) Link {
	if r.kills != nil {
		return notedRoute{route{router: r, id: id}}
	}
	return route{router: r, id: id}
}

// Look returns the info of a runner if some process holds its socket now. It does not wait.
func (r *Router) Look(ctx context.Context, id RunnerID) (wire.Info, error) {
	return route{router: r, id: id}.look(ctx)
}

// Drop closes the connection of a runner whose token is no longer good, whichever process holds it, and returns when it is
// closed. It is no error if no process holds it.
func (r *Router) Drop(ctx context.Context, id RunnerID) error {
	if r.local != nil {
		r.local.Drop(id)
	}
	if r.holders == nil {
		return nil
	}
	addr, _, ok, err := r.holders.Holder(ctx, id)
	if err != nil || !ok || addr == "" {
		return err
	}
	conn := &remoteConnection{client: r.client, base: addr, key: r.key, id: id}
	return conn.drop(ctx)
}

// route is the Link of one runner.
type route struct {
	router *Router
	id     RunnerID
}

// Ready waits until some process holds the runner's socket.
func (l route) Ready(ctx context.Context) (wire.Info, error) {
	for pause := lookFirst; ; pause = min(2*pause, lookMost) {
		changed := l.router.changed()
		info, err := l.look(ctx)
		if err == nil {
			return info, nil
		}
		timer := time.NewTimer(pause)
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return wire.Info{}, err
		}
	}
}

func (l route) look(ctx context.Context) (wire.Info, error) {
	conn, err := l.router.connection(ctx, l.id)
	if err != nil {
		return wire.Info{}, err
	}
	return conn.Info(ctx)
}

// Call uses the connection that there is now.
func (l route) Call(ctx context.Context, req wire.Request, push func(wire.Push) error) (wire.Response, error) {
	conn, err := l.router.connection(ctx, l.id)
	if err != nil {
		return wire.Response{}, err
	}
	response, err := conn.Call(ctx, req, push)
	if errors.Is(err, ErrOffline) || errors.Is(err, ErrBroken) {
		l.router.drop(l.id, conn)
	}
	return response, err
}

// changed is nil, which never fires, without local sockets.
func (r *Router) changed() <-chan struct{} {
	if r.local == nil {
		return nil
	}
	return r.local.Changed()
}

// connection finds the present connection to a runner. ErrOffline when no process holds its socket.
func (r *Router) connection(ctx context.Context, id RunnerID) (Connection, error) {
	if r.local != nil {
		if conn, ok := r.local.Connection(id); ok {
			return conn, nil
		}
	}
	if r.holders == nil {
		return nil, ErrOffline
	}
	r.mu.Lock()
	known := r.remote[id]
	r.mu.Unlock()
	if known != nil {
		return known, nil
	}
	return r.find(ctx, id)
}

// find asks the connection table, and then the process it names whether it is true.
func (r *Router) find(ctx context.Context, id RunnerID) (Connection, error) {
	addr, _, ok, err := r.holders.Holder(ctx, id)
	if err != nil {
		return nil, errors.Join(ErrOffline, err)
	}
	if !ok || addr == "" {
		return nil, ErrOffline
	}
	conn := &remoteConnection{client: r.client, base: addr, key: r.key, id: id}
	if err := conn.open(ctx); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remote[id] = conn
	return conn, nil
}

func (r *Router) drop(id RunnerID, conn Connection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.remote[id]; known != nil && Connection(known) == conn {
		delete(r.remote, id)
	}
}
