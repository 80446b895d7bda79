package mcp_test

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/sandbox"
	"xbot/internal/secret"
)

// runner is a sandbox whose processes are test servers inside of this process, so that time can be skipped.
type runner struct {
	sandbox.Sandbox

	name    string
	mu      sync.Mutex
	started int
	running int
}

func (r *runner) Name() string { return r.name }

func (r *runner) Workspace() string { return "/work" }

func (r *runner) counts() (started, running int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.started, r.running
}

func (r *runner) Start(ctx context.Context, _ sandbox.StdioRequest) (sandbox.Process, error) {
	ctx, cancel := context.WithCancel(ctx)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	p := &inside{cancel: cancel, in: toServer, out: fromServer, ended: make(chan struct{})}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started++
	r.running++
	context.AfterFunc(ctx, func() { _, _ = in.CloseWithError(ctx.Err()), out.CloseWithError(ctx.Err()) })
	go func() {
		defer close(p.ended)
		_ = testServer().Run(ctx, &sdk.IOTransport{Reader: in, Writer: out})
		_ = out.Close()
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.running--
	}()
	return p, nil
}

// inside is a process of a runner.
type inside struct {
	cancel context.CancelFunc
	in     io.WriteCloser
	out    io.Reader
	ended  chan struct{}
}

func (p *inside) Stdin() io.WriteCloser { return p.in }
func (p *inside) Stdout() io.Reader     { return p.out }
func (p *inside) Stderr() io.Reader     { return eofWhen(p.ended) }
func (p *inside) Kill()                 { p.cancel() }

func (p *inside) Wait() (int, error) {
	<-p.ended
	return 0, nil
}

type eofWhen <-chan struct{}

func (e eofWhen) Read([]byte) (int, error) {
	<-e
	return 0, io.EOF
}

// timed runs a test on a clock that is skipped, with connections of which only the servers in this process are.
func timed(t *testing.T, test func(t *testing.T, f *fixture, box *runner)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &rows{offers: map[int64]chat.MCPOffers{}}
		f := &fixture{t: t, rows: r, servers: &mcp.Servers{Rows: r, Key: secret.Key{1}}, Connections: mcp.NewConnections(mcp.Config{Rows: r, Key: secret.Key{1}})}
		test(t, f, &runner{name: "laptop"})
		require.NoError(t, f.Close())
		require.Zero(t, f.Open())
	})
}

func (f *fixture) inside(owner chat.UserID, name string, box *runner) mcp.At {
	f.t.Helper()
	at := f.addFor(owner, mcp.Draft{MCPConfig: chat.MCPConfig{Name: name, Command: "server"}})
	at.Box = box
	return at
}

func TestConnections_AreClosedAfterHalfAnHourWithoutACall(t *testing.T) {
	timed(t, func(t *testing.T, f *fixture, box *runner) {
		at := f.inside(ann, "git", box)
		for range 3 {
			require.Equal(t, "you said x", f.call(at, "echo", chat.ClassRead, `{"text":"x"}`).Content)
			<-time.After(29 * time.Minute)
		}
		started, running := box.counts()
		require.Equal(t, []int{1, 1}, []int{started, running}, "each call begins the half hour anew")
		<-time.After(2 * time.Minute)
		synctest.Wait()
		_, running = box.counts()
		require.Zero(t, running)
		require.Zero(t, f.Open())
		require.Equal(t, "you said y", f.call(at, "echo", chat.ClassRead, `{"text":"y"}`).Content, "the next call connects again")
	})
}

func TestConnections_ACallThatTakesLongerThanTheIdleTimeIsLeftAlone(t *testing.T) {
	timed(t, func(t *testing.T, f *fixture, box *runner) {
		f.Connections = mcp.NewConnections(mcp.Config{Rows: f.rows, Key: secret.Key{1}, Idle: time.Minute})
		at := f.inside(ann, "git", box)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		began := time.Now()
		_, err := f.Call(ctx, at, "wait", chat.ClassOnce, nil, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 5*time.Minute, time.Since(began))
		require.Equal(t, 1, f.Open())
	})
}

func TestConnections_OfAPersonAreEightAndTheOneIdleForLongestMakesRoom(t *testing.T) {
	timed(t, func(t *testing.T, f *fixture, box *runner) {
		var all []mcp.At
		for i := range 9 {
			all = append(all, f.inside(ann, fmt.Sprint("s", i), box))
			f.call(all[i], "echo", chat.ClassRead, `{"text":"x"}`)
			<-time.After(time.Minute)
		}
		require.Equal(t, 8, f.Open())
		f.call(all[8], "echo", chat.ClassRead, `{"text":"x"}`)
		started, _ := box.counts()
		require.Equal(t, 9, started)
		f.call(all[0], "echo", chat.ClassRead, `{"text":"x"}`)
		synctest.Wait() // the one that makes room ends meanwhile
		started, running := box.counts()
		require.Equal(t, []int{10, 8}, []int{started, running}, "the first one had to go")
	})
}

func TestConnections_WhereAllOfAPersonsAreAtWorkThereIsNoRoomForHersAndRoomForOthers(t *testing.T) {
	timed(t, func(t *testing.T, f *fixture, box *runner) {
		ctx, cancel := context.WithCancel(t.Context())
		var busy sync.WaitGroup
		for i := range 8 {
			at := f.inside(ann, fmt.Sprint("s", i), box)
			busy.Go(func() { _, _ = f.Call(ctx, at, "wait", chat.ClassOnce, nil, nil) })
		}
		synctest.Wait()
		got := f.call(f.inside(ann, "more", box), "echo", chat.ClassRead, `{"text":"x"}`)
		require.True(t, got.IsError)
		require.Contains(t, got.Content, "8 MCP servers are at work for you")
		his := f.inside(0, "shared", box)
		his.Person = bob
		require.Equal(t, "you said x", f.call(his, "echo", chat.ClassRead, `{"text":"x"}`).Content)
		cancel()
		busy.Wait()
	})
}

func TestConnections_AtOnceFromManyCallsAreOne(t *testing.T) {
	timed(t, func(t *testing.T, f *fixture, box *runner) {
		at, elsewhere := f.inside(ann, "git", box), &runner{name: "desktop"}
		var calls sync.WaitGroup
		for range 20 {
			calls.Go(func() {
				got, err := f.Call(t.Context(), at, "echo", chat.ClassOnce, []byte(`{"text":"x"}`), nil)
				require.NoError(t, err)
				require.Equal(t, "you said x", got.Content)
			})
		}
		calls.Wait()
		started, _ := box.counts()
		require.Equal(t, 1, started)
		at.Box = elsewhere
		f.call(at, "echo", chat.ClassRead, `{"text":"x"}`)
		started, _ = elsewhere.counts()
		require.Equal(t, 1, started, "another runner has a server of its own")
		require.Equal(t, 2, f.Open())
	})
}
