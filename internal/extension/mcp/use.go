package mcp

import (
	"context"
	"errors"
	"net"
	"regexp"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

// RefusedError reports that a server refused a request, or could not carry it out, with its message. The connection still works.
type RefusedError struct{ Server, Said string }

// Error returns a sentence for the model and the user.
func (e *RefusedError) Error() string { return "the MCP server " + e.Server + " says: " + e.Said }

// UnknownError reports that the answer to a request did not come: the server may have carried it out, or not.
type UnknownError struct{ Server, Why string }

// Error returns a sentence for the model and the user.
func (e *UnknownError) Error() string {
	return "outcome unknown: the MCP server " + e.Server + " was asked, and did not answer (" + e.Why + "); it may have done all, part or none of its work, so verify its effects before repeating it"
}

// Refresh connects to a server, lists its offers, and stores them. It returns the updated server. An unused connection is
// replaced, so that a changed server lists its current offers. A list that does not hold for others (At.Vouched) is neither read nor stored. An error
// is a sentence about the server, which is stored, too. It returns NotFound if there is no such server for the user.
func (c *Connections) Refresh(ctx context.Context, at At) (chat.MCPServer, error) {
	s, err := c.server(ctx, at)
	if err != nil {
		return chat.MCPServer{}, err
	}
	c.Forget(at.Server)
	began := time.Now()
	conn, err := c.acquire(ctx, s, at)
	if err != nil {
		return chat.MCPServer{}, err
	}
	defer c.release(conn)
	if stored := counts(s, at); conn.made.Before(began) || stored != conn.counts { // it was in use; a new one has listed already
		if err := conn.list(stored); err != nil {
			err = conn.explain(err)
			conn.note(err, stored)
			return chat.MCPServer{}, err
		}
	}
	s, err = c.cfg.Rows.MCPServer(ctx, at.Server)
	return s.MCPServer, err
}

// Forget ends the connections to a server; running calls end first. The next call makes a new connection.
func (c *Connections) Forget(server int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, conn := range c.open {
		if k.server == server {
			c.retire(conn)
		}
	}
}

// server reads a server that a user may use. It returns NotFound if there is none, and Invalid if it is switched off.
func (c *Connections) server(ctx context.Context, at At) (mcpstore.Server, error) {
	s, err := c.cfg.Rows.MCPServer(ctx, at.Server)
	switch {
	case err != nil:
		return s, err
	case s.User != 0 && s.User != at.Person:
		return s, fault.Errorf(fault.NotFound, "there is no such MCP server any more")
	case s.Project.ID != 0 && !s.Project.Agrees():
		return s, fault.Errorf(fault.Denied, "the folder %s has changed since the user agreed to it: its servers are not used until the user agrees again on the page, under Settings → Tools", s.Project.Folder)
	case s.Project.ID != 0 && at.Box != nil && at.Box.Name() != s.Project.Runner:
		return s, fault.Errorf(fault.NotFound, "the MCP server %s belongs to a folder on another runner", s.Name)
	case !s.Enabled:
		return s, fault.Errorf(fault.Invalid, "the MCP server %s is switched off", s.Name)
	}
	if b := c.authorization(s, at.Person); b != nil {
		if _, err := b.token(ctx); err != nil { // before connecting: the error is not about the server
			return s, fault.Errorf(fault.KindOf(err), "the MCP server %s cannot be used: %w", s.Name, err)
		}
	}
	return s, nil
}

var errSlow = errors.New("its time was up")

// use sends a request to a server within the time of a call. A broken connection is replaced, and the request repeated
// once: if the server certainly did not get it, or if the request may be repeated. Errors are those of acquire and of the user's
// account (nothing was done), RefusedError, UnknownError, and the end of ctx.
func (c *Connections) use(ctx context.Context, s mcpstore.Server, at At, repeatable bool, ask func(ctx context.Context, conn *connection) error) error {
	timed, cancel := context.WithTimeoutCause(ctx, c.cfg.Call, errSlow)
	defer cancel()
	for attempt := 1; ; attempt++ {
		conn, err := c.acquire(timed, s, at)
		if err != nil {
			if timed.Err() != nil && ctx.Err() == nil {
				err = fault.Errorf(fault.Unavailable, "the MCP server %s cannot be used: it took more than %s to connect to it", s.Name, c.cfg.Call)
			}
			return err
		}
		err = ask(timed, conn)
		if attempt == 1 && timed.Err() == nil && unknownSession(err) {
			c.discard(conn, nil)
			c.release(conn)
			continue
		}
		verdict := conn.judge(ctx, timed, err)
		if _, unknown := errors.AsType[*UnknownError](verdict); !unknown {
			if _, unable := errors.AsType[*keyError](err); unable {
				c.withdraw(conn) // it may be broken, and is that of an account which may be another one next time
			}
			c.release(conn)
			return verdict
		}
		if timed.Err() != nil {
			c.withdraw(conn) // other calls may have more luck
		} else {
			c.discard(conn, nil)
		}
		c.release(conn)
		if attempt > 1 || timed.Err() != nil || !repeatable && !unsent(err) {
			return verdict
		}
	}
}

// judge translates an error of the SDK.
func (n *connection) judge(ctx, timed context.Context, err error) error {
	locked, unable := errors.AsType[*keyError](err)
	switch refusal, refused := errors.AsType[*jsonrpc.Error](err); {
	case err == nil:
		return nil
	case unable:
		return fault.Errorf(fault.KindOf(locked.error), "the MCP server %s cannot be used: %w", n.server.Name, locked.error)
	case ctx.Err() != nil:
		return ctx.Err() // the SDK cancels the request at the server
	case timed.Err() != nil:
		return &UnknownError{Server: n.server.Name, Why: "its " + n.pool.cfg.Call.Round(time.Millisecond).String() + " were up"}
	case refused && !errors.Is(err, sdk.ErrConnectionClosed) && ours[refusal.Code] != refusal.Message:
		said := tool.OneLine(chat.Clean(n.hide(refusal.Message)), maxProblem)
		if said == "" {
			said = "an error without a word"
		}
		return &RefusedError{Server: n.server.Name, Said: said}
	}
	why := words(err)
	if n.command != nil {
		if ending := n.command.ending(epilogue); ending != "" {
			why = ending
		}
	}
	return &UnknownError{Server: n.server.Name, Why: tool.OneLine(chat.Clean(n.hide(why)), maxProblem)}
}

// ours are the errors that the SDK makes of failures of the connection; they do not come from servers.
var ours = map[int64]string{-32003: "client is closing", -32004: "server is closing", -32005: "rejected by transport"}

// unsent reports whether a server certainly did not take a request: the connection to it failed, or it does not know the session.
func unsent(err error) bool {
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return true
	}
	return unknownSession(err)
}

// sessionUnknown matches messages of servers that do not know the session of a request.
var sessionUnknown = regexp.MustCompile(`(?i)\b(unknown|invalid|expired|no valid|missing)\W+(\w+\W+)?session|session\b.{0,80}\b(not found|unknown|expired|terminated|invalid|reinitiali[sz]e)`)

// unknownSession reports whether a server does not know the session of a request, so that it did not process the request. Servers report it with
// status 404, or with the JSON-RPC error "invalid request" (anthropics/claude-code#55970, MoonshotAI/kimi-code#2380). Other errors may come from the
// tool itself, after it did something.
func unknownSession(err error) bool {
	refusal, ok := errors.AsType[*jsonrpc.Error](err)
	return errors.Is(err, sdk.ErrSessionMissing) ||
		ok && refusal.Code == jsonrpc.CodeInvalidRequest && sessionUnknown.MatchString(refusal.Message)
}

// unknownMethod reports whether a server does not know the method of a request.
func unknownMethod(err error) bool {
	refusal, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && refusal.Code == jsonrpc.CodeMethodNotFound
}

// connectedTime limits the time of all servers together to list their offers after an account was connected.
const connectedTime = 30 * time.Second

// AccountConnected lists the offers of the servers again that an account of a user at a provider authorizes: the user's, and those of the
// installation without a list, if the user vouches, which administrators do. It returns at once. Errors are stored with the server, as in a
// manual refresh.
func (c *Connections) AccountConnected(person chat.UserID, provider string, vouches bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.work.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), connectedTime)
		defer cancel()
		rows, err := c.cfg.Rows.MCPServers(ctx, person)
		if err != nil {
			c.cfg.Log.Warn("the MCP servers of a connected account were not asked", "error", err)
			return
		}
		var all sync.WaitGroup
		defer all.Wait()
		for _, s := range rows {
			if authorizedAnew(s, provider, vouches) {
				all.Go(func() { c.askAnew(ctx, s, person) })
			}
		}
	})
}

// authorizedAnew reports whether a server is asked when an account at a provider was connected. The list of one account that holds for all users is
// not replaced when another user connects one, which may see less.
func authorizedAnew(s mcpstore.Server, provider string, vouches bool) bool {
	return s.Enabled && s.Account == provider && (s.User != 0 || vouches && s.Digest == "")
}

func (c *Connections) askAnew(ctx context.Context, s mcpstore.Server, person chat.UserID) {
	if _, err := c.Refresh(ctx, At{Server: s.ID, Person: person, Vouched: s.User == 0}); err != nil {
		c.cfg.Log.Info("an MCP server does not say what it offers to the account that was connected", "server", s.Name, "error", err) // the list shows it, too
	}
}
