package mcp

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/elicit"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/secret"
)

// Limits of connections at once. At a limit, the one that was idle for the longest time is closed.
const (
	maxOfPerson  = 8
	maxOfProcess = 256
)

// The defaults; see Config.
const (
	usualIdle    = 30 * time.Minute
	usualConnect = 30 * time.Second
	usualCall    = 10 * time.Minute
)

// Config is the configuration of Connections.
type Config struct {
	Rows Rows
	Key  secret.Sealer
	// Own carries the requests to servers of users: it reaches only the public internet (package safehttp). Shared carries those to servers
	// of the installation, which administrators chose: they may be in its network. nil: Own carries both.
	Own, Shared http.RoundTripper
	Tokens      Tokens        // of accounts that authorize requests; nil: there are none
	Idle        time.Duration // an unused connection is closed after it; 0: 30 minutes
	Connect     time.Duration // limit for connecting, with the first list of tools; 0: 30 s
	Call        time.Duration // limit for a call; 0: 10 minutes
	Version     string        // of xbot, for servers
	Log         *slog.Logger  // nil: none
}

// At describes the user and the location of a use of a server.
type At struct {
	Server int64       // its id
	Person chat.UserID // a server of another user is not used
	// Box is where the command of the server runs: on the runner of the user, in its sandbox, never in this process. So a user of an
	// installation's command has its variables on the user's runner, where they can be read; headers stay in this process. Servers with an address
	// need no box. Hooks of the administrator use the runner of the server's host, for person 0, in conversations without a runner.
	Box sandbox.Sandbox
	// Vouched makes the lists of the server here hold for all its users. It matters for servers of the installation, and is for administrators:
	// a command runs on a runner of the user, who can manipulate it, and one that an account authorizes lists only what that user may see.
	// Of other servers every list counts.
	Vouched bool
	// Dir is the working folder of the conversation on the runner; empty: its workspace.
	Dir string
	// Asking answers the questions of the server to the user; nil: everything is declined.
	Asking *elicit.Asking
}

// key identifies a connection.
type key struct {
	server int64
	person chat.UserID
	runner string // empty: the server has an address
}

// Connections holds the connections of this process to servers: one for each server, user and runner, made when needed and closed when
// idle. It is safe for concurrent use.
type Connections struct {
	cfg   Config
	pace  *rate.Limiter
	asked elicit.Calls

	mu     sync.Mutex
	open   map[key]*connection // that new calls use
	all    map[*connection]struct{}
	closed bool
	work   sync.WaitGroup
}

// NewConnections returns an empty pool. Close ends its connections.
func NewConnections(cfg Config) *Connections {
	cfg.Idle, cfg.Connect, cfg.Call = cmp.Or(cfg.Idle, usualIdle), cmp.Or(cfg.Connect, usualConnect), cmp.Or(cfg.Call, usualCall)
	if cfg.Shared == nil {
		cfg.Shared = cfg.Own
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Connections{cfg: cfg, pace: rate.NewLimiter(allLinesASecond, allLinesAtOnce), open: map[key]*connection{}, all: map[*connection]struct{}{}}
}

// Open returns the number of connections.
func (c *Connections) Open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.all)
}

// Close ends all connections, running calls included, and waits for their end: at most five seconds.
func (c *Connections) Close() error {
	c.mu.Lock()
	c.closed = true
	for conn := range c.all {
		if c.retire(conn); conn.users > 0 || !conn.works() {
			conn.end(errClosing)
		}
	}
	c.mu.Unlock()
	c.work.Wait()
	return nil
}

var errClosing = fault.Errorf(fault.Unavailable, "the server is shutting down")

// acquire returns a working connection, which is made if there is none. Its caller releases it.
func (c *Connections) acquire(ctx context.Context, s mcpstore.Server, at At) (*connection, error) {
	conn, err := c.take(s, at)
	if err != nil {
		return nil, err
	}
	select {
	case <-conn.ready:
	case <-ctx.Done():
		c.release(conn)
		return nil, ctx.Err()
	}
	if conn.err != nil {
		c.release(conn)
		return nil, conn.err
	}
	return conn, nil
}

// take counts the caller as a user of a connection, which may still be connecting.
func (c *Connections) take(s mcpstore.Server, at At) (*connection, error) {
	k := key{server: s.ID, person: at.Person}
	if s.Transport == chat.MCPStdio {
		if at.Box == nil {
			return nil, fault.Errorf(fault.Invalid, "the MCP server %s runs on a runner, and there is none here", s.Name)
		}
		if err := sandbox.Talks(at.Box); err != nil {
			return nil, err
		}
		k.runner = at.Box.Name()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosing
	}
	if conn := c.open[k]; conn != nil {
		if conn.server.Revision == s.Revision {
			conn.begin()
			return conn, nil
		}
		c.retire(conn)
	}
	if err := c.evictIdle(at.Person); err != nil {
		return nil, err
	}
	conn := newConnection(c, k, s, at)
	conn.begin()
	c.open[k], c.all[conn] = conn, struct{}{}
	c.work.Go(conn.run)
	return conn, nil
}

// evictIdle closes an idle connection if the user or the process is at its limit. The caller holds mu.
func (c *Connections) evictIdle(person chat.UserID) error {
	var theirs, others int
	var oldest, oldestOfThem *connection
	for conn := range c.all {
		if conn.retired && conn.users == 0 {
			continue // it is about to end
		}
		mine := conn.key.person == person
		if mine {
			theirs++
		} else {
			others++
		}
		if conn.users > 0 || conn.retired {
			continue
		}
		if oldest == nil || conn.used.Before(oldest.used) {
			oldest = conn
		}
		if mine && (oldestOfThem == nil || conn.used.Before(oldestOfThem.used)) {
			oldestOfThem = conn
		}
	}
	switch {
	case theirs < maxOfPerson && theirs+others < maxOfProcess:
		return nil
	case theirs >= maxOfPerson && oldestOfThem != nil:
		c.retire(oldestOfThem)
		return nil
	case theirs >= maxOfPerson:
		return fault.Errorf(fault.RateLimited, "%d MCP servers are at work for you: wait until one has ended", theirs)
	case oldest != nil:
		c.retire(oldest)
		return nil
	}
	return fault.Errorf(fault.RateLimited, "too many MCP servers are at work: try again later")
}

// release ends a use that acquire began.
func (c *Connections) release(conn *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	conn.users--
	conn.used = time.Now()
	switch {
	case conn.users > 0:
	case conn.retired:
		conn.leave()
	default:
		conn.timer = time.AfterFunc(c.cfg.Idle, func() { c.expire(conn) })
	}
}

// expire closes a connection that was idle.
func (c *Connections) expire(conn *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn.users == 0 && time.Since(conn.used) >= c.cfg.Idle {
		c.retire(conn)
	}
}

// retire excludes a connection from new calls; it ends once its calls have. The caller holds mu.
func (c *Connections) retire(conn *connection) {
	if c.open[conn.key] == conn {
		delete(c.open, conn.key)
	}
	conn.retired = true
	if conn.users == 0 {
		conn.leave()
	}
}

// withdraw excludes a connection from new calls that never connected.
func (c *Connections) withdraw(conn *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retire(conn)
}

// discard ends a connection that is broken.
func (c *Connections) discard(conn *connection, cause error) {
	conn.end(cause)
	c.withdraw(conn)
}

// gone removes a connection that has ended.
func (c *Connections) gone(conn *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[conn.key] == conn {
		delete(c.open, conn.key)
	}
	conn.retired = true
	if conn.timer != nil {
		conn.timer.Stop()
	}
	delete(c.all, conn)
}
