package runner_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/runner"
	"xbot/runner/cli"
	"xbot/runner/confine"
	"xbot/runner/socket"
	"xbot/runner/wire"
)

// TestMain lets the test binary be the shim of the commands that tests start.
func TestMain(m *testing.M) {
	if confine.IsVerb(os.Args) || cli.IsShim(os.Args) {
		syscall.Exit(cli.Main(os.Args, "test")) // os.Exit takes a second where the race detector is on
	}
	goleak.VerifyTestMain(m)
}

const patience = 30 * time.Second

// bench is a runner in this process and the server's end of its connections.
type bench struct {
	*testing.T
	conns chan *socket.Socket // each after its registration
	hello atomic.Pointer[wire.Register]
	token atomic.Pointer[string]
	log   *safeBuffer
}

type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// setup starts a runner. Refuse may answer a registration with an error.
func setup(t *testing.T, refuse func(wire.Register) *wire.Error) *bench {
	t.Helper()
	b := &bench{T: t, conns: make(chan *socket.Socket), log: &safeBuffer{}}
	b.setToken("first")
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sock, err := socket.Upgrade(w, r, wire.MaxFrame)
		if err != nil {
			return
		}
		if !b.welcome(sock, refuse) {
			sock.Close(socket.CodeRefused, "refused")
			return
		}
		select {
		case b.conns <- sock:
		case <-over:
			sock.Close(socket.CodeGoingAway, "the test is over")
		}
	}))
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	cfg := runner.Config{
		Server: "ws" + strings.TrimPrefix(server.URL, "http"), Token: b,
		State: t.TempDir(), Workspace: t.TempDir(), Confine: runner.ConfineOff, Version: "test",
		Log: slog.New(slog.NewTextHandler(b.log, nil)),
	}
	go func() { done <- runner.Run(ctx, cfg) }()
	t.Cleanup(func() {
		close(over)
		stop()
		require.NoError(t, <-done)
		server.Close()
	})
	return b
}

func (b *bench) setToken(token string) { b.token.Store(&token) }

// Token is the one that the runner has now.
func (b *bench) Token() (string, error) { return *b.token.Load(), nil }

func (b *bench) welcome(sock *socket.Socket, refuse func(wire.Register) *wire.Error) bool {
	frame, err := sock.Receive()
	var hello wire.Register
	if err == nil {
		err = frame.Decode(&hello)
	}
	if err != nil {
		b.Error(err)
		return false
	}
	b.hello.Store(&hello)
	typ, body := wire.TypeRegistered, any(wire.Registered{Protocol: wire.Version, Runner: "r", Version: "test"})
	if refuse != nil {
		if refusal := refuse(hello); refusal != nil {
			typ, body = wire.TypeError, refusal
		}
	}
	answer, err := wire.NewFrame(0, typ, body)
	if err == nil {
		err = sock.Send(answer)
	}
	return err == nil && typ == wire.TypeRegistered
}

// connection waits for the next registered connection. It is closed with the test.
func (b *bench) connection() *socket.Socket {
	b.Helper()
	select {
	case sock := <-b.conns:
		b.Cleanup(func() { sock.Close(socket.CodeGoingAway, "the test is over") })
		return sock
	case <-time.After(patience):
		require.Fail(b.T, "the runner does not connect", b.log.String())
		return nil
	}
}

func (b *bench) send(sock *socket.Socket, id uint64, typ wire.Type, body any) {
	b.Helper()
	frame, err := wire.NewFrame(id, typ, body)
	require.NoError(b.T, err)
	require.NoError(b.T, sock.Send(frame))
}

func (b *bench) receive(sock *socket.Socket) wire.Frame {
	b.Helper()
	frame, err := sock.Receive()
	require.NoError(b.T, err)
	return frame
}

func TestRunner_SaysWhoItIs(t *testing.T) {
	b := setup(t, nil)
	b.connection()
	hello := b.hello.Load()
	require.Equal(t, "first", hello.Token)
	require.NoError(t, hello.Validate("test"))
	require.NotEmpty(t, hello.Boot)
	require.Equal(t, "none: switched off", hello.Confinement)
}

func TestRunner_ComesBackWithTheTokenOfTheDay(t *testing.T) {
	b := setup(t, nil)
	b.connection().Close(socket.CodeGoingAway, "the server is stopping")
	b.setToken("second")
	for b.connection(); b.hello.Load().Token != "second"; {
		b.connection() // one may have been under way
	}
}

func TestRunner_KeepsTryingWhenItIsRefusedAndSaysItOnce(t *testing.T) {
	var tries atomic.Int32
	b := setup(t, func(wire.Register) *wire.Error {
		if tries.Add(1) < 4 {
			return wire.Errorf(wire.Denied, "this token is not known: make a new one")
		}
		return nil
	})
	b.connection()
	require.Equal(t, 1, strings.Count(b.log.String(), "this token is not known"))
	require.NotContains(t, b.log.String(), "first", "the token itself is never logged")
}

func TestRunner_RefusesWhatItDoesNotKnow(t *testing.T) {
	b := setup(t, nil)
	sock := b.connection()
	for id, typ := range []wire.Type{"exec.teleport", wire.Type(wire.OpStat), wire.Type(wire.OpExecAttach)} {
		b.send(sock, uint64(id+1), typ, nil)
		answer := b.receive(sock)
		require.Equal(t, wire.TypeError, answer.Type)
		var refusal wire.Error
		require.NoError(t, answer.Decode(&refusal))
		require.Equal(t, wire.Invalid, refusal.Kind)
	}
	b.send(sock, 9, wire.TypeAck, wire.Ack{N: 1 << 30}) // of nothing
	b.send(sock, 9, wire.TypeCancel, nil)
	b.send(sock, 10, wire.Type(wire.OpStat), wire.Path{Path: "."})
	require.Equal(t, wire.TypeResult, b.receive(sock).Type, "it goes on")
}

func TestRunner_LeavesAServerThatUsesAnIDTwice(t *testing.T) {
	b := setup(t, nil)
	sock := b.connection()
	sleep := wire.ExecAttach{ID: "a", Command: "sleep 0.5"}
	b.send(sock, 1, wire.Type(wire.OpExecAttach), sleep)
	b.send(sock, 1, wire.Type(wire.OpExecAttach), sleep)
	_, err := sock.Receive()
	require.Error(t, err)
	again := b.connection()
	b.send(again, 1, wire.Type(wire.OpExecAttach), sleep)
	require.Equal(t, wire.TypeResult, b.receive(again).Type, "the command is found on the new connection")
}

func TestRunner_WaitsForAcks(t *testing.T) {
	b := setup(t, nil)
	sock := b.connection()
	const size = 3 * wire.Window * wire.MaxPiece
	b.send(sock, 1, wire.Type(wire.OpExecAttach), wire.ExecAttach{
		ID: "a", Command: "head -c 3145728 /dev/zero", Stream: true, Limit: 10,
	})
	require.Equal(t, 3145728, size)
	var got int64
	for unacked := 0; got < size; {
		if unacked == wire.Window {
			// Another request is answered while the first is held back: nothing else came before it.
			b.send(sock, 2, wire.Type(wire.OpStat), wire.Path{Path: "."})
			require.EqualValues(t, 2, b.receive(sock).ID)
			b.send(sock, 1, wire.TypeAck, wire.Ack{N: unacked})
			unacked = 0
		}
		frame := b.receive(sock)
		require.Equal(t, wire.TypePush, frame.Type)
		var piece wire.ExecOutput
		require.NoError(t, frame.Decode(&piece))
		require.Equal(t, got, piece.Offset)
		got += int64(len(piece.Data))
		unacked++
	}
	require.Equal(t, wire.TypeResult, b.receive(sock).Type)
}

func TestRunner_LetsGoOfACancelledRequest(t *testing.T) {
	b := setup(t, nil)
	sock := b.connection()
	wait := wire.ExecAttach{ID: "a", Command: "sleep 0.3; echo end"}
	b.send(sock, 1, wire.Type(wire.OpExecAttach), wait)
	b.send(sock, 1, wire.TypeCancel, nil)
	b.send(sock, 2, wire.Type(wire.OpExecAttach), wait)
	answer := b.receive(sock)
	require.EqualValues(t, 2, answer.ID, "nobody waits for the first")
	var end wire.ExecEnd
	require.NoError(t, answer.Decode(&end))
	require.Equal(t, "end\n", string(end.Output))
}

func TestRun_ExplainsABadConfiguration(t *testing.T) {
	for says, cfg := range map[string]runner.Config{
		"must look like wss://":  {Server: "http://x"},
		"does not exist":         {Server: "ws://x", Workspace: "/no/such"},
		"is not a folder":        {Server: "ws://x", Workspace: os.Args[0]},
		"inside a denied folder": {Server: "ws://x", Workspace: "/", Deny: []string{"/"}, State: t.TempDir()},
		"make the state folder":  {Server: "ws://x", Workspace: "/", State: os.Args[0] + "/state"},
	} {
		cfg.Log = slog.New(slog.DiscardHandler)
		err := runner.Run(t.Context(), cfg)
		require.ErrorContains(t, err, says)
	}
}
