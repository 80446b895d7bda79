// Package sandboxtest holds the cases that every kind of sandbox must pass, over every way that leads to it. The cases
// use nothing but the port, so they fit a sandbox on another machine as well.
package sandboxtest

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// patience bounds every wait of the suite; a loaded machine with the race detector needs some.
const patience = 30 * time.Second

// unhurried is a time within which a command has printed its first line, also on a loaded machine.
const unhurried = 4 * time.Second

// Fixture is a sandbox under test, with the means to harm what is behind it. The workspace is empty at first.
type Fixture struct {
	Box      sandbox.Sandbox
	Cut      func()                 // breaks the connection to the runner without a farewell; the runner reconnects
	Kill     func()                 // kills the runner's daemon with SIGKILL
	Start    func()                 // starts the daemon again, on the same job store
	KillShim func(id chat.CallID)   // kills the shim of a running command with SIGKILL
	Wipe     func()                 // stops the daemon and starts one with an empty job store
	Alive    func(text string) bool // reports whether a process on the runner's machine has text in its command line
}

// Run runs the suite. Open makes a new sandbox for a group of cases.
func Run(t *testing.T, open func(t *testing.T) Fixture) {
	t.Run("files", func(t *testing.T) { runCases(t, open(t), fileCases) })
	t.Run("search", func(t *testing.T) { runCases(t, open(t), searchCases) })
	t.Run("exec", func(t *testing.T) { runCases(t, open(t), execCases) })
	t.Run("input", func(t *testing.T) { runCases(t, open(t), inputCases) })
	t.Run("stdio", func(t *testing.T) { runCases(t, open(t), stdioCases) })
	for name, test := range crashCases {
		t.Run("crash/"+name, func(t *testing.T) {
			t.Parallel()
			test(setup(t, open(t)))
		})
	}
}

type cases map[string]func(*bench)

func runCases(t *testing.T, f Fixture, all cases) {
	t.Parallel()
	// The group ends, and with it the fixture, when its last case has.
	t.Run("case", func(t *testing.T) {
		for name, test := range all {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(setup(t, f))
			})
		}
	})
}

// bench is one case at work.
type bench struct {
	*testing.T
	Fixture
	ctx context.Context
	dir string // of this case, in the workspace
}

var lastID atomic.Int64

func setup(t *testing.T, f Fixture) *bench {
	ctx, cancel := context.WithTimeout(t.Context(), 6*patience)
	t.Cleanup(cancel)
	b := &bench{T: t, Fixture: f, ctx: ctx, dir: fmt.Sprintf("case-%d", lastID.Add(1))}
	b.must(f.Box.MkdirAll(ctx, b.dir))
	return b
}

// id returns a new command id.
func (b *bench) id() chat.CallID {
	return chat.NewCallID("0192f0c1-1111-7222-8333-444455556666", int(lastID.Add(1)), 0)
}

// path returns a path in the case's folder.
func (b *bench) path(name string) string { return b.dir + "/" + name }

func (b *bench) must(err error) {
	b.Helper()
	require.NoError(b.T, err)
}

func (b *bench) kind(want fault.Kind, err error) {
	b.Helper()
	require.Equal(b.T, want, fault.KindOf(err), "%v", err)
}

// exec runs a command in the case's folder.
func (b *bench) exec(req sandbox.ExecRequest) sandbox.ExecResult {
	b.Helper()
	if req.ID == "" {
		req.ID = b.id()
	}
	if req.Dir == "" {
		req.Dir = b.dir
	}
	got, err := b.Box.Exec(b.ctx, req)
	b.must(err)
	return got
}

// sh runs a command that must succeed and returns its output.
func (b *bench) sh(command string) string {
	b.Helper()
	got := b.exec(sandbox.ExecRequest{Command: command})
	require.Equal(b.T, sandbox.ExecExited, got.State)
	require.Zero(b.T, got.Code, "%s", got.Output)
	return string(got.Output)
}

// running is a command under way in a goroutine.
type running struct {
	b      *bench
	id     chat.CallID
	output chan string // all so far, the latest only
	seen   string      // the latest that waitOutput took
	done   chan struct{}
	result sandbox.ExecResult
	err    error
}

// start runs a command and returns when it has printed something.
func (b *bench) start(req sandbox.ExecRequest) *running {
	b.Helper()
	if req.ID == "" {
		req.ID = b.id()
	}
	if req.Dir == "" {
		req.Dir = b.dir
	}
	r := &running{b: b, id: req.ID, output: make(chan string, 1), done: make(chan struct{})}
	var all strings.Builder
	req.Output = func(offset int64, piece []byte) {
		if offset != int64(all.Len()) {
			b.Errorf("output at offset %d follows %d bytes", offset, all.Len())
		}
		all.Write(piece)
		select {
		case <-r.output:
		default:
		}
		r.output <- all.String()
	}
	go func() {
		defer close(r.done)
		r.result, r.err = b.Box.Exec(b.ctx, req)
	}()
	r.waitOutput("")
	return r
}

// waitOutput waits until the output contains the text.
func (r *running) waitOutput(text string) {
	r.b.Helper()
	deadline := time.After(patience)
	for r.seen == "" || !strings.Contains(r.seen, text) {
		select {
		case r.seen = <-r.output:
		case <-r.done:
			select {
			case r.seen = <-r.output: // what came last, before the end
			default:
				require.Fail(r.b.T, "the command ended early", "%v %s", r.err, r.result.Output)
			}
		case <-deadline:
			require.Fail(r.b.T, "no output came", "waiting for %q", text)
		}
	}
}

// end waits for the end of the command.
func (r *running) end() sandbox.ExecResult {
	r.b.Helper()
	select {
	case <-r.done:
	case <-time.After(patience):
		require.Fail(r.b.T, "the command does not end")
	}
	r.b.must(r.err)
	return r.result
}

// eventually waits until the claim holds.
func (b *bench) eventually(claim func() bool, message string) {
	b.Helper()
	require.Eventually(b.T, claim, patience, 10*time.Millisecond, message)
}
