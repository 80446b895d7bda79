package runners_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"xbot/ingress/runners"
	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/runner/socket"
	"xbot/runner/wire"
)

func TestMain(m *testing.M) { runnerstest.Main(m) }

const patience = time.Minute

// peer is a hand-made runner: a socket that says what a test wants said.
type peer struct {
	*testing.T
	conn *websocket.Conn
}

func dial(t *testing.T, s *runnerstest.Server) *peer {
	t.Helper()
	conn, response, err := websocket.DefaultDialer.Dial(s.ConnectURL(), nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	t.Cleanup(func() { _ = conn.Close() }) // closed already by some tests
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
	return &peer{T: t, conn: conn}
}

func (p *peer) send(id uint64, typ wire.Type, body any) {
	p.Helper()
	frame, err := wire.NewFrame(id, typ, body)
	require.NoError(p.T, err)
	data, err := frame.Encode()
	require.NoError(p.T, err)
	require.NoError(p.T, p.conn.WriteMessage(websocket.TextMessage, data))
}

func (p *peer) receive() wire.Frame {
	p.Helper()
	_, data, err := p.conn.ReadMessage()
	require.NoError(p.T, err)
	frame, err := wire.DecodeFrame(data)
	require.NoError(p.T, err)
	return frame
}

// closed reads until the server closes the socket, and returns the code it gave.
func (p *peer) closed() int {
	p.Helper()
	for {
		_, _, err := p.conn.ReadMessage()
		if err == nil {
			continue
		}
		if e, ok := errors.AsType[*websocket.CloseError](err); ok {
			return e.Code
		}
		return 0 // without a farewell
	}
}

var hello = wire.Register{
	Protocol: wire.Version, Token: "good", Info: wire.Info{Workspace: "/w", Store: "store-1", Version: "0.1"},
}

// register makes the peer the runner "r".
func (p *peer) register(hello wire.Register) {
	p.Helper()
	p.send(0, wire.TypeRegister, hello)
	require.Equal(p.T, wire.TypeRegistered, p.receive().Type)
}

func server(t *testing.T) *runnerstest.Server {
	t.Helper()
	s := runnerstest.NewServer(t, nil)
	s.Registry.Add("good", runners.Identity{ID: "7/r", Name: "r", User: 7})
	return s
}

func TestHub_RefusesWithASentence(t *testing.T) {
	t.Parallel()
	s := server(t)
	for name, test := range map[string]struct {
		spoil func(*wire.Register)
		kind  string
		says  string
	}{
		"an unknown token":     {func(h *wire.Register) { h.Token = "bad" }, wire.Denied, "this token is not known"},
		"no token":             {func(h *wire.Register) { h.Token = "" }, wire.Denied, "sent no token"},
		"another version":      {func(h *wire.Register) { h.Protocol = 99 }, wire.Invalid, "install the xbot-runner that belongs to the server"},
		"another's name":       {func(h *wire.Register) { h.Name = "other" }, wire.Denied, `belongs to the runner "r"`},
		"no store":             {func(h *wire.Register) { h.Store = "" }, wire.Invalid, "did not say its job store"},
		"more than it may say": {func(h *wire.Register) { h.Workspace = strings.Repeat("x", wire.MaxHandshake) }, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, said := dial(t, s), hello
			test.spoil(&said)
			p.send(0, wire.TypeRegister, said)
			if test.kind != "" {
				frame := p.receive()
				require.Equal(t, wire.TypeError, frame.Type)
				var refusal wire.Error
				require.NoError(t, frame.Decode(&refusal))
				require.Equal(t, test.kind, refusal.Kind)
				require.Contains(t, refusal.Message, test.says)
			}
			p.closed()
			require.Empty(t, s.Hub.Online())
		})
	}
}

func TestHub_RefusesWhatDoesNotRegister(t *testing.T) {
	t.Parallel()
	s := server(t)
	p := dial(t, s)
	p.send(1, wire.TypeResult, nil)
	require.Equal(t, wire.TypeError, p.receive().Type)

	p = dial(t, s)
	require.NoError(t, p.conn.WriteMessage(websocket.TextMessage, []byte("hello")))
	require.Equal(t, wire.TypeError, p.receive().Type)

	p = dial(t, s)
	require.NoError(t, p.conn.WriteMessage(websocket.BinaryMessage, []byte("{}")))
	require.Equal(t, wire.TypeError, p.receive().Type)

	response, err := http.Get(s.URL() + "/api/runners/connect")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
}

func TestHub_RefusesPagesOfOtherOrigins(t *testing.T) {
	t.Parallel()
	s := server(t)
	_, response, err := websocket.DefaultDialer.Dial(s.ConnectURL(), http.Header{"Origin": {"https://evil.example"}})
	require.Error(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusForbidden, response.StatusCode)
}

func TestHub_TheNewestConnectionWins(t *testing.T) {
	t.Parallel()
	s := server(t)
	first := dial(t, s)
	first.register(hello)
	second := dial(t, s)
	renewed := hello
	renewed.Store = "store-2"
	second.register(renewed)
	require.Equal(t, socket.CodeSuperseded, first.closed())
	require.Equal(t, "store-2", s.Hub.Online()["7/r"].Store)
	_, epoch, ok, err := s.Registry.Holder(t.Context(), "7/r")
	require.NoError(t, err)
	require.True(t, ok, "the end of the first must not remove the second from the table")
	require.EqualValues(t, 2, epoch)
}

func TestHub_AnotherServerTakesARunnerOver(t *testing.T) {
	t.Parallel()
	s := server(t)
	other := runnerstest.NewServer(t, s.Registry)
	first := dial(t, s)
	first.register(hello)
	second := dial(t, other)
	second.register(hello)
	s.Hub.CloseSuperseded()
	require.Equal(t, socket.CodeSuperseded, first.closed())
	addr, _, ok, err := s.Registry.Holder(t.Context(), "7/r")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, other.URL(), addr)
}

func TestHub_ClosingClearsTheTable(t *testing.T) {
	t.Parallel()
	s := server(t)
	p := dial(t, s)
	p.register(hello)
	require.Eventually(t, func() bool { return len(s.Hub.Online()) == 1 }, patience, time.Millisecond)
	s.Close()
	require.Equal(t, websocket.CloseGoingAway, p.closed())
	_, _, ok, err := s.Registry.Holder(t.Context(), "7/r")
	require.NoError(t, err)
	require.False(t, ok)
}

func TestHub_DropClosesARevokedRunner(t *testing.T) {
	t.Parallel()
	s := server(t)
	p := dial(t, s)
	p.register(hello)
	require.Eventually(t, func() bool { return len(s.Hub.Online()) == 1 }, patience, time.Millisecond)
	s.Registry.Revoke("good")
	s.Hub.Drop("7/r")
	require.Equal(t, socket.CodeRefused, p.closed())
	s.Hub.Drop("nobody")
}

// call makes a request to the runner "7/r" in the background.
func call(ctx context.Context, s *runnerstest.Server, push func(wire.Push) error) <-chan error {
	router := sandbox.NewRouter(sandbox.RouterConfig{Local: s.Hub})
	done := make(chan error, 1)
	go func() {
		link := router.Link("7/r")
		_, err := link.Ready(ctx)
		if err == nil {
			_, err = link.Call(ctx, wire.Request{Op: "test.op", Body: json.RawMessage(`{}`)}, push)
		}
		done <- err
	}()
	return done
}

func result(t *testing.T, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		require.Fail(t, "the call does not end")
		return nil
	}
}

func TestCall_TellsTheRunnerWhenNobodyWaits(t *testing.T) {
	t.Parallel()
	s := server(t)
	p := dial(t, s)
	p.register(hello)
	ctx, leave := context.WithCancel(t.Context())
	done := call(ctx, s, nil)
	request := p.receive()
	leave()
	require.ErrorIs(t, result(t, done), context.Canceled)
	cancel := p.receive()
	require.Equal(t, wire.TypeCancel, cancel.Type)
	require.Equal(t, request.ID, cancel.ID)
	p.send(request.ID, wire.TypeResult, nil) // too late; must do no harm

	done = call(t.Context(), s, nil)
	p.send(p.receive().ID, wire.TypeResult, struct{}{})
	require.NoError(t, result(t, done))
}

func TestCall_SaysWhetherARequestCanHaveBeenSent(t *testing.T) {
	t.Parallel()
	s := server(t)
	_, err := sandbox.NewRouter(sandbox.RouterConfig{Local: s.Hub}).Link("7/r").Call(t.Context(), wire.Request{Op: "x"}, nil)
	require.ErrorIs(t, err, sandbox.ErrOffline)

	p := dial(t, s)
	p.register(hello)
	done := call(t.Context(), s, nil)
	p.receive()
	require.NoError(t, p.conn.Close())
	require.ErrorIs(t, result(t, done), sandbox.ErrBroken)
}

func TestCall_HoldsTheRunnerBackWhileTheCallerIsSlow(t *testing.T) {
	t.Parallel()
	s := server(t)
	p := dial(t, s)
	p.register(hello)
	gate, taken := make(chan struct{}), make(chan struct{}, 1000)
	done := call(t.Context(), s, func(wire.Push) error {
		<-gate
		taken <- struct{}{}
		return nil
	})
	id := p.receive().ID
	for range wire.Window {
		p.send(id, wire.TypePush, struct{}{})
	}
	close(gate)
	acked := 0
	for acked < wire.Window {
		frame := p.receive()
		require.Equal(t, wire.TypeAck, frame.Type)
		var ack wire.Ack
		require.NoError(t, frame.Decode(&ack))
		acked += ack.N
	}
	p.send(id, wire.TypeResult, struct{}{})
	require.NoError(t, result(t, done))
	require.Len(t, taken, wire.Window)
}

func TestHub_ClosesARunnerThatFloods(t *testing.T) {
	t.Parallel()
	s := server(t)
	p := dial(t, s)
	p.register(hello)
	gate := make(chan struct{})
	done := call(t.Context(), s, func(wire.Push) error {
		<-gate
		return nil
	})
	id := p.receive().ID
	for range wire.Window + 10 {
		frame, err := wire.NewFrame(id, wire.TypePush, struct{}{})
		require.NoError(t, err)
		data, err := frame.Encode()
		require.NoError(t, err)
		if p.conn.WriteMessage(websocket.TextMessage, data) != nil {
			break // closed already
		}
	}
	p.closed()
	close(gate)
	require.ErrorIs(t, result(t, done), sandbox.ErrBroken)
}

func TestHub_ClosesARunnerThatTalksNonsense(t *testing.T) {
	t.Parallel()
	for name, say := range map[string]func(*peer){
		"not a frame":     func(p *peer) { require.NoError(t, p.conn.WriteMessage(websocket.TextMessage, []byte("?"))) },
		"a request":       func(p *peer) { p.send(1, wire.Type(wire.OpStat), struct{}{}) },
		"too large":       func(p *peer) { _ = p.conn.WriteMessage(websocket.TextMessage, make([]byte, wire.MaxFrame+1)) },
		"a second hello":  func(p *peer) { p.send(0, wire.TypeRegister, hello) },
		"a binary frame":  func(p *peer) { require.NoError(t, p.conn.WriteMessage(websocket.BinaryMessage, []byte("{}"))) },
		"an empty object": func(p *peer) { require.NoError(t, p.conn.WriteMessage(websocket.TextMessage, []byte("{}"))) },
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t)
			p := dial(t, s)
			p.register(hello)
			say(p)
			p.closed()
			require.Eventually(t, func() bool { return len(s.Hub.Online()) == 0 }, patience, time.Millisecond)
		})
	}
}

func TestInternal_AsksForTheKey(t *testing.T) {
	t.Parallel()
	s := server(t)
	_, err := s.Hub.Internal("short")
	require.Error(t, err)
	shared := runnerstest.Key.InternalKey()
	for _, key := range []string{"", "Bearer ", "Bearer wrong", shared, "Basic " + shared, "Bearer " + shared + "x"} {
		for _, path := range []string{"/internal/runners/7%2Fr", "/internal/runners/7%2Fr/call"} {
			req, err := http.NewRequest(http.MethodPost, s.URL()+path, strings.NewReader("{}"))
			require.NoError(t, err)
			if key != "" {
				req.Header.Set("Authorization", key)
			}
			response, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			require.Equal(t, http.StatusUnauthorized, response.StatusCode)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestInternal_RefusesACallForAConnectionThatIsNoMore(t *testing.T) {
	t.Parallel()
	s := server(t)
	p := dial(t, s)
	p.register(hello)
	link := sandbox.NewRouter(sandbox.RouterConfig{Holders: s.Registry, Key: runnerstest.Key}).Link("7/r")
	info, err := link.Ready(t.Context())
	require.NoError(t, err)
	require.Equal(t, "store-1", info.Store)

	renewed := hello
	renewed.Store = "store-2"
	dial(t, s).register(renewed)
	require.Eventually(t, func() bool { return s.Hub.Online()["7/r"].Store == "store-2" }, patience, time.Millisecond)
	_, err = link.Call(t.Context(), wire.Request{Op: "x", Body: json.RawMessage(`{}`)}, nil)
	require.ErrorIs(t, err, sandbox.ErrOffline, "what was found belongs to the old connection")
	info, err = link.Ready(t.Context())
	require.NoError(t, err)
	require.Equal(t, "store-2", info.Store)
}

func TestRouter_FollowsARunnerToAnotherServer(t *testing.T) {
	t.Parallel()
	first := runnerstest.NewServer(t, nil)
	second := runnerstest.NewServer(t, first.Registry)
	r := first.StartRunner("local", runnerstest.DaemonConfig{})
	box := first.Remote("local", sandbox.RunnerConfig{})
	up := make(chan struct{})
	var ended sandbox.ExecResult
	done := make(chan error, 1)
	go func() {
		var err error
		ended, err = box.Exec(t.Context(), sandbox.ExecRequest{
			ID: "t.0.0", Command: "echo up; sleep 1; echo ran >> log; cat log",
			Output: func(offset int64, _ []byte) {
				if offset == 0 {
					close(up)
				}
			},
		})
		done <- err
	}()
	<-up
	r.Kill()
	first.Close()
	moved := runnerstest.NewDaemon(t, runnerstest.DaemonConfig{
		Server: second.ConnectURL(), Token: "token of local", Workspace: r.Workspace, State: r.State,
	})
	moved.Start()
	require.NoError(t, result(t, done))
	require.Equal(t, "up\nran\n", string(ended.Output))
}

func TestExec_ARunnerThatIsOfflineIsSaidSo(t *testing.T) {
	t.Parallel()
	s := server(t)
	for _, box := range []*sandbox.Runner{
		s.Direct("7/r", sandbox.RunnerConfig{OfflineWait: 50 * time.Millisecond}),
		s.Remote("7/r", sandbox.RunnerConfig{OfflineWait: 50 * time.Millisecond}),
	} {
		_, err := box.Exec(t.Context(), sandbox.ExecRequest{ID: "t.0.0", Command: "true"})
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		require.ErrorContains(t, err, "runner 7/r is offline")

		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		_, err = box.Exec(ctx, sandbox.ExecRequest{ID: "t.0.0", Command: "true", StartedOn: "store-1"})
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded, "what was sent once is waited for")
	}
}

func TestDaemon_StopsAndLeavesItsCommands(t *testing.T) {
	t.Parallel()
	box, r := runnerstest.Box(t)
	up, done := make(chan struct{}), make(chan error, 1)
	var ended sandbox.ExecResult
	go func() {
		var err error
		ended, err = box.Exec(t.Context(), sandbox.ExecRequest{
			ID: "t.0.0", Command: "echo up; while ! test -e go; do sleep 0.02; done; echo end",
			Output: func(offset int64, _ []byte) {
				if offset == 0 {
					close(up)
				}
			},
		})
		done <- err
	}()
	<-up
	r.Stop()
	require.NotZero(t, r.ShimPID("t.0.0"), "the shim stays")
	r.Start()
	require.NoError(t, box.WriteFile(t.Context(), "go", nil, sandbox.WriteCreate))
	require.NoError(t, result(t, done))
	require.Equal(t, "up\nend\n", string(ended.Output))
}

func TestDaemon_KeepsItsStateFromFileOperations(t *testing.T) {
	t.Parallel()
	box, r := runnerstest.Box(t)
	_, err := box.ReadDir(t.Context(), r.State)
	require.Equal(t, fault.Denied, fault.KindOf(err))
}

func TestDaemon_HidesDeniedFoldersFromCommands(t *testing.T) {
	t.Parallel()
	secret := t.TempDir()
	require.NoError(t, os.WriteFile(secret+"/key", []byte("secret"), 0o644))
	s := runnerstest.NewServer(t, nil)
	r := s.StartRunner("local", runnerstest.DaemonConfig{Args: []string{"--deny", secret, "--confine", "require"}})
	box := s.Direct("local", sandbox.RunnerConfig{})
	info, err := box.Info(t.Context())
	require.NoError(t, err)
	require.Contains(t, info.Confinement, "mount namespace")
	for i, command := range []string{"cat " + secret + "/key", "ls " + r.State + "/jobs", "cat /proc/" + fmt.Sprint(r.PID()) + "/root" + secret + "/key"} {
		got, err := box.Exec(t.Context(), sandbox.ExecRequest{ID: chat.NewCallID("t", 0, i), Command: command})
		require.NoError(t, err)
		require.NotZero(t, got.Code, "%s: %s", command, got.Output)
		require.NotContains(t, string(got.Output), "secret\n")
	}
	_, err = box.ReadFile(t.Context(), secret+"/key", 0, 0)
	require.Equal(t, fault.Denied, fault.KindOf(err))
}

func TestDaemon_NarrowsACommandToTheWallsOfItsConversation(t *testing.T) {
	t.Parallel()
	s := runnerstest.NewServer(t, nil)
	s.StartRunner("local", runnerstest.DaemonConfig{Args: []string{"--confine", "require"}})
	wide := s.Direct("local", sandbox.RunnerConfig{})
	require.NoError(t, wide.WriteFile(t.Context(), "file", []byte("kept"), sandbox.WriteCreate))
	ids := 0
	exec := func(box sandbox.Sandbox, command string) sandbox.ExecResult {
		t.Helper()
		ids++
		got, err := box.Exec(t.Context(), sandbox.ExecRequest{ID: chat.NewCallID("t", 0, ids), Command: command})
		require.NoError(t, err)
		return got
	}
	const write, reach = "echo more >> file && echo x > /tmp/$$ && rm /tmp/$$", `python3 -c 'import socket; socket.socket(socket.AF_INET)'`
	for name, c := range map[string]struct {
		walls           chat.Confinement
		writes, reaches bool
	}{
		"none":      {chat.Confinement{}, true, true},
		"read-only": {chat.Confinement{ReadOnly: true}, false, true},
		"offline":   {chat.Confinement{Offline: true}, true, false},
		"both":      {chat.Confinement{ReadOnly: true, Offline: true}, false, false},
	} {
		box := sandbox.Narrow(wide, c.walls)
		require.Equal(t, "kept", string(exec(box, "head -c 4 file").Output), name)
		wrote, reached := exec(box, write), exec(box, reach)
		require.Equal(t, c.writes, wrote.Code == 0, "%s: %s", name, wrote.Output)
		require.Equal(t, c.reaches, reached.Code == 0, "%s: %s", name, reached.Output)

		file := "of " + name
		_, uploading := box.Upload(t.Context(), file+".2", strings.NewReader("x"), sandbox.WriteCreate)
		_, editing := box.Edit(t.Context(), sandbox.Edit{ID: chat.NewCallID("e", 0, ids), Path: file + ".3", From: strings.NewReader("x"), Mode: sandbox.WriteCreate})
		for _, err := range []error{
			box.WriteFile(t.Context(), file, nil, sandbox.WriteCreate), uploading, editing, box.MkdirAll(t.Context(), file+".4"),
			box.Move(t.Context(), file, file+".5"), box.Remove(t.Context(), file+".5"), box.RemoveAll(t.Context(), file+".4"),
		} {
			require.Equal(t, c.writes, err == nil, "%s: %v", name, err)
			if err != nil {
				require.Equal(t, fault.Denied, fault.KindOf(err))
			}
		}
		if c.walls != (chat.Confinement{}) {
			_, err := box.Start(t.Context(), sandbox.StdioRequest{Args: []string{"cat"}})
			require.Equal(t, fault.Denied, fault.KindOf(err), name)
		}
	}
}

func TestDaemon_WithoutWallsStartsNoCommandThatNeedsThem(t *testing.T) {
	t.Parallel()
	s := runnerstest.NewServer(t, nil)
	s.StartRunner("local", runnerstest.DaemonConfig{Args: []string{"--confine", "off"}})
	wide := s.Direct("local", sandbox.RunnerConfig{})
	narrow := sandbox.Narrow(wide, chat.Confinement{Offline: true})
	req := sandbox.ExecRequest{ID: "t.0.0", Command: "echo ran >> ran"}
	_, err := narrow.Exec(t.Context(), req)
	require.Equal(t, fault.Denied, fault.KindOf(err), "%v", err)
	_, err = wide.Stat(t.Context(), "ran")
	require.Equal(t, fault.NotFound, fault.KindOf(err))

	_, err = wide.Exec(t.Context(), req)
	require.NoError(t, err)
	got, err := narrow.Exec(t.Context(), req)
	require.NoError(t, err, "what has started is attached to")
	require.Equal(t, sandbox.ExecExited, got.State)
	file, err := wide.ReadFile(t.Context(), "ran", 0, 0)
	require.NoError(t, err)
	require.Equal(t, "ran\n", string(file.Data))
}

func TestDaemon_GivesACommandSecretsThatNoOtherCommandReads(t *testing.T) {
	t.Parallel()
	s := runnerstest.NewServer(t, nil)
	s.StartRunner("local", runnerstest.DaemonConfig{Args: []string{"--confine", "require"}})
	plain := s.Direct("local", sandbox.RunnerConfig{})
	const value = "ghs_0123456789abcdef"
	box := sandbox.WithEnvironment(plain, sandbox.Environment{Secrets: []wire.Secret{{Name: "TOKEN", Value: value}}})
	printed := make(chan string, 16)
	ended := make(chan sandbox.ExecResult, 1)
	go func() {
		got, err := box.Exec(t.Context(), sandbox.ExecRequest{
			ID: "t.0.1", Command: `echo $$ $PPID; while [ ! -e done ]; do sleep 0.05; done; printf '%s' "$TOKEN" | base64; echo "${#TOKEN}$TOKEN"`,
			Output: func(_ int64, piece []byte) { printed <- string(piece) },
		})
		if err == nil {
			ended <- got
		}
		close(ended)
	}()
	pids := strings.Fields(<-printed)
	require.Len(t, pids, 2)
	spy := `for pid in ` + strings.Join(pids, " ") + `; do cat /proc/$pid/environ /proc/$pid/cmdline; head -c 1 /proc/$pid/mem; done; env; ps axeww; grep -ra ghs_0 /proc/[0-9]*/environ; true`
	got, err := plain.Exec(t.Context(), sandbox.ExecRequest{ID: "t.0.2", Command: spy, Limit: 1 << 20})
	require.NoError(t, err)
	require.Contains(t, string(got.Output), "Permission denied")
	require.NotContains(t, string(got.Output), value)
	require.NoError(t, plain.WriteFile(t.Context(), "done", nil, sandbox.WriteCreate))
	end := <-ended
	require.Equal(t, "[hidden: TOKEN]\n20[hidden: TOKEN]\n", strings.SplitN(string(end.Output), "\n", 2)[1])
	kept, err := plain.ReadOutput(t.Context(), "t.0.1", 0, 1000)
	require.NoError(t, err)
	require.Equal(t, string(end.Output), string(kept.Data), "nobody is shown more of it later")
}

func TestDaemon_WithoutWallsTakesNoSecrets(t *testing.T) {
	t.Parallel()
	s := runnerstest.NewServer(t, nil)
	s.StartRunner("local", runnerstest.DaemonConfig{Args: []string{"--confine", "off"}})
	plain := s.Direct("local", sandbox.RunnerConfig{})
	box := sandbox.WithEnvironment(plain, sandbox.Environment{Secrets: []wire.Secret{{Name: "TOKEN", Value: "0123456789"}}})
	_, err := box.Exec(t.Context(), sandbox.ExecRequest{ID: "t.0.0", Command: "echo ran >> ran"})
	require.Equal(t, fault.Denied, fault.KindOf(err), "%v", err)
	require.NotContains(t, err.Error(), "0123456789")
	_, err = plain.Stat(t.Context(), "ran")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestDaemon_SaysLoudlyWhenNothingIsHidden(t *testing.T) {
	t.Parallel()
	s := runnerstest.NewServer(t, nil)
	r := s.StartRunner("local", runnerstest.DaemonConfig{Args: []string{"--confine", "off"}})
	info, err := s.Direct("local", sandbox.RunnerConfig{}).Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, "none: switched off", info.Confinement)
	require.Contains(t, r.Log(), "COMMANDS CAN READ THE DENIED FOLDERS")
}

func TestHub_ClosesConnectionsWhoseTokensAreGoodNoMoreAndNoOthers(t *testing.T) {
	t.Parallel()
	s := server(t)
	s.Registry.Add("other", runners.Identity{ID: "8/r", Name: "r"})
	revoked, other := dial(t, s), dial(t, s)
	revoked.register(hello)
	second := hello
	second.Token = "other"
	other.register(second)
	require.Eventually(t, func() bool { return len(s.Hub.Online()) == 2 }, patience, time.Millisecond)

	s.Hub.CloseRevoked()
	require.Len(t, s.Hub.Online(), 2, "both are good")
	s.Registry.Revoke("good")
	s.Hub.CloseRevoked()
	require.Equal(t, socket.CodeRefused, revoked.closed())
	require.Eventually(t, func() bool { return len(s.Hub.Online()) == 1 }, patience, time.Millisecond)
	require.Contains(t, s.Hub.Online(), sandbox.RunnerID("8/r"))
}
