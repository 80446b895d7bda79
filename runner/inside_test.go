package runner_test

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/runner"
	"xbot/runner/pipe"
	"xbot/runner/wire"
)

// inside is a daemon that serves streams instead of a server.
type inside struct {
	*testing.T
	cfg   runner.Config
	pipe  *pipe.Pipe // our end
	ended chan error
	asked uint64 // ids are not used again: an answer may be on its way while its request still counts as open
}

func newInside(t *testing.T) *inside {
	t.Helper()
	return &inside{T: t, cfg: runner.Config{
		Name: "box", State: filepath.Join(t.TempDir(), "state"), Workspace: t.TempDir(), Confine: runner.ConfineOff,
		Log: slog.New(slog.DiscardHandler),
	}}
}

func (i *inside) start() wire.Register {
	i.Helper()
	i.launch()
	return i.hello()
}

func (i *inside) launch() {
	toDaemon, ours := io.Pipe()
	toUs, theirs := io.Pipe()
	i.pipe, i.ended = pipe.New(toUs, ours, ours), make(chan error, 1)
	served := make(chan struct{})
	i.Cleanup(func() {
		_ = ours.Close()
		<-served
	})
	go func() {
		defer close(served)
		i.ended <- runner.Serve(context.Background(), i.cfg, pipe.New(toDaemon, theirs, theirs))
	}()
}

func (i *inside) hello() wire.Register {
	i.Helper()
	frame, err := i.pipe.Receive()
	require.NoError(i, err)
	require.Equal(i, wire.TypeRegister, frame.Type)
	var hello wire.Register
	require.NoError(i, frame.Decode(&hello))
	return hello
}

func (i *inside) ask(op wire.Op, body, into any) {
	i.Helper()
	i.asked++
	id := 1000 + i.asked
	frame, err := wire.NewFrame(id, wire.Type(op), body)
	require.NoError(i, err)
	require.NoError(i, i.pipe.Send(frame))
	for {
		answer, err := i.pipe.Receive()
		require.NoError(i, err)
		if answer.ID == id && answer.Type == wire.TypeResult {
			require.NoError(i, answer.Decode(into))
			return
		}
		require.NotEqual(i, wire.TypeError, answer.Type, "%s", answer.Body)
	}
}

func (i *inside) running() int {
	i.Helper()
	var status wire.Status
	i.ask(wire.OpStatus, nil, &status)
	return status.Running
}

func TestServe_SaysWhoItIsAndKnowsWhatRunsAfterItsOtherEndWasGone(t *testing.T) {
	i := newInside(t)
	hello := i.start()
	require.Equal(t, wire.Version, hello.Protocol)
	require.Empty(t, hello.Token)
	require.Equal(t, i.cfg.Workspace, hello.Workspace)
	require.NotEmpty(t, hello.Store)
	require.Zero(t, i.running())

	attach, err := wire.NewFrame(7, wire.Type(wire.OpExecAttach), wire.ExecAttach{ID: "c1", Command: "echo up; sleep 60", Stream: true})
	require.NoError(t, err)
	require.NoError(t, i.pipe.Send(attach))
	frame, err := i.pipe.Receive()
	require.NoError(t, err)
	require.Equal(t, wire.TypePush, frame.Type)
	i.pipe.Close(0, "")
	require.Error(t, <-i.ended)

	again := i.start()
	require.Equal(t, hello.Store, again.Store)
	require.Equal(t, 1, i.running(), "its shim goes on")
	kill, err := wire.NewFrame(8, wire.Type(wire.OpExecKill), wire.ExecID{ID: "c1"})
	require.NoError(t, err)
	require.NoError(t, i.pipe.Send(kill))
	require.Eventually(t, func() bool { return i.running() == 0 }, 20*time.Second, 10*time.Millisecond)
}

func TestServe_WaitsForTheStoreOfADaemonThatIsAboutToGo(t *testing.T) {
	first := newInside(t)
	first.start()
	second := &inside{T: t, cfg: first.cfg}
	second.launch()
	require.Equal(t, 0, first.running(), "the first still has it")
	first.pipe.Close(0, "")
	require.Error(t, <-first.ended)
	require.NotEmpty(t, second.hello().Store)
}
