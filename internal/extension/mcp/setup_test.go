package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/extension/mcp/elicit"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/tool/tooltest"
)

// How long tests wait for what happens by itself, and how often they look.
const waitLong, waitShort = 30 * time.Second, 10 * time.Millisecond

const ann, bob chat.UserID = 7, 8

// TestMain is the command of a test server, too.
func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVariable); mode != "" {
		os.Exit(serve(mode))
	}
	goleak.VerifyTestMain(m)
}

// rows keep servers in memory.
type rows struct {
	mu     sync.Mutex
	list   []mcpstore.Server
	offers map[int64]chat.MCPOffers
	stored int // how often offers were
}

func (r *rows) MCPServers(_ context.Context, user chat.UserID) (out []mcpstore.Server, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, owner := range slices.Compact([]chat.UserID{0, user}) {
		for _, s := range r.list {
			if s.User == owner {
				out = append(out, s)
			}
		}
	}
	return out, nil
}

func (r *rows) MCPServer(_ context.Context, id int64) (mcpstore.Server, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.list {
		if s.ID == id {
			return s, nil
		}
	}
	return mcpstore.Server{}, fault.Errorf(fault.NotFound, "there is no such MCP server any more")
}

func (r *rows) SetMCPServer(_ context.Context, in mcpstore.Server, _ chat.UserID) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	in.Shared = in.User == 0
	if in.Revision == 0 {
		in.ID, in.Revision = int64(len(r.list)+1), 1
		r.list = append(r.list, in)
		return in.ID, nil
	}
	for i, s := range r.list {
		if s.ID == in.ID && s.Revision == in.Revision {
			in.Revision++
			in.MCPState = s.MCPState
			r.list[i] = in
			return in.ID, nil
		}
	}
	return 0, fault.Errorf(fault.Conflict, "changed")
}

func (r *rows) RemoveMCPServer(_ context.Context, user chat.UserID, name string, fromFile bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.list)
	r.list = slices.DeleteFunc(r.list, func(s mcpstore.Server) bool { return s.User == user && s.Name == name && s.FromFile == fromFile })
	if len(r.list) == n {
		return fault.Errorf(fault.NotFound, "none")
	}
	return nil
}

func (r *rows) MCPOffers(_ context.Context, id int64) (chat.MCPOffers, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.offers[id], nil
}

func (r *rows) SetMCPOffers(_ context.Context, id, revision int64, offers chat.MCPOffers) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stored++
	for i := range r.list {
		if r.list[i].ID == id && r.list[i].Revision == revision {
			offers.Digest = time.Now().Format(time.RFC3339Nano)
			r.offers[id] = offers
			r.list[i].MCPState = chat.MCPState{Digest: offers.Digest, Tools: len(offers.Tools), Prompts: len(offers.Prompts), Resources: len(offers.Resources), LeftOut: offers.LeftOut, Guide: offers.Guide}
		}
	}
	return nil
}

func (r *rows) SetMCPProblem(_ context.Context, id, revision int64, problem string, wantsAccount bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.list {
		if r.list[i].ID == id && r.list[i].Revision == revision {
			r.list[i].Problem, r.list[i].WantsAccount = problem, wantsAccount
		}
	}
	return nil
}

func (r *rows) problem(id int64) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list[id-1].Problem
}

func (r *rows) wants(id int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list[id-1].WantsAccount
}

func (r *rows) listings() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stored
}

// fixture has servers in memory, and connections to them.
type fixture struct {
	*mcp.Connections

	t       *testing.T
	rows    *rows
	servers *mcp.Servers
	box     *tooltest.Box
	model   *elicit.Model // that servers ask; nil: none
}

// setup makes one; the connections end with the test.
func setup(t *testing.T, change ...func(*mcp.Config)) *fixture {
	t.Helper()
	r := &rows{offers: map[int64]chat.MCPOffers{}}
	base := &http.Transport{}
	cfg := mcp.Config{Rows: r, Key: secret.Key{1}, Own: base, Version: "test"}
	for _, c := range change {
		c(&cfg)
	}
	f := &fixture{Connections: mcp.NewConnections(cfg), t: t, rows: r, servers: &mcp.Servers{Rows: r, Key: secret.Key{1}, Providers: providers{"acme", "off"}}, box: tooltest.New(t)}
	t.Cleanup(func() {
		require.NoError(t, f.Connections.Close())
		require.Zero(t, f.Open())
		base.CloseIdleConnections()
	})
	return f
}

// add stores a server of ann's.
func (f *fixture) add(d mcp.Draft) mcp.At { return f.addFor(ann, d) }

func (f *fixture) addFor(owner chat.UserID, d mcp.Draft) mcp.At {
	f.t.Helper()
	d.Enabled = true
	s, err := f.servers.Save(f.t.Context(), owner, d, ann)
	require.NoError(f.t, err)
	return mcp.At{Server: s.ID, Person: ann, Box: f.box}
}

// command adds a server whose command is this test, in a mode.
func (f *fixture) command(mode string) mcp.At {
	f.t.Helper()
	return f.add(command("s"+mode, mode))
}

func command(name, mode string) mcp.Draft {
	name = strings.ReplaceAll(name, " ", "")
	return mcp.Draft{Env: map[string]string{modeVariable: mode}, MCPConfig: chat.MCPConfig{Name: name, Transport: chat.MCPStdio, Command: os.Args[0], Args: []string{"-test.run=^$"}}}
}

// call calls a tool, and returns its result.
func (f *fixture) call(at mcp.At, name string, class chat.ToolClass, arguments string) chat.ToolResult {
	f.t.Helper()
	got, err := f.Call(f.t.Context(), at, name, class, json.RawMessage(arguments), nil)
	require.NoError(f.t, err)
	return got
}
