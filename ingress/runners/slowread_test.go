package runners_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/ingress/runners"
	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/sandbox"
	"xbot/runner/wire"
)

// TestAttack_ARunnerThatDoesNotRespondDelaysNoKillsOfOthers connects runners that take their kills and say nothing to them, and one that works.
func TestAttack_ARunnerThatDoesNotRespondDelaysNoKillsOfOthers(t *testing.T) {
	t.Parallel()
	s := server(t)
	const deaf = 8
	for i := range deaf {
		id := fmt.Sprint("7/deaf", i)
		s.Registry.Add(id, runners.Identity{ID: sandbox.RunnerID(id), Name: id[2:], User: 7})
		require.NoError(t, s.Registry.NoteKill(t.Context(), chat.CallID(fmt.Sprint("hang", i)), sandbox.RunnerID(id)))
		p, h := dial(t, s), hello
		h.Token, h.Name = id, ""
		p.register(h)
		require.Equal(t, wire.Type(wire.OpExecKill), p.receive().Type)
	}
	works := dial(t, s)
	works.register(hello)
	require.Eventually(t, func() bool { return len(s.Hub.Online()) == deaf+1 }, patience, time.Millisecond)
	for _, call := range []chat.CallID{"one", "two"} {
		require.NoError(t, s.Registry.NoteKill(t.Context(), call, "7/r"))
		s.Hub.SendKills()
		kill := works.receive()
		require.Equal(t, wire.Type(wire.OpExecKill), kill.Type)
		require.Contains(t, string(kill.Body), string(call))
		works.send(kill.ID, wire.TypeResult, struct{}{})
		require.Eventually(t, func() bool {
			open, err := s.Registry.OpenKills(t.Context(), []sandbox.RunnerID{"7/r"})
			return err == nil && len(open) == 0
		}, patience, time.Millisecond)
	}
}

// TestAttack_ARunnerThatDoesNotReadIsGivenUp has a runner that registers and reads nothing more while large requests are sent to it: its connection
// ends with the write deadline of a frame, all who wait are told, and another runner works meanwhile.
func TestAttack_ARunnerThatDoesNotReadIsGivenUp(t *testing.T) {
	t.Parallel()
	s := server(t)
	s.Registry.Add("other", runners.Identity{ID: "8/r", Name: "r", User: 8})
	other, h := dial(t, s), hello
	h.Token = "other"
	other.register(h)
	u := ingresstest.NewSlowReadServer(t, s.Hub)
	conn, response, err := (&websocket.Dialer{ReadBufferSize: 1 << 10}).Dial("ws://"+u.Addr+"/api/runners/connect", nil)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.NetConn().(*net.TCPConn).SetReadBuffer(4<<10))
	(&peer{T: t, conn: conn}).register(hello)
	require.Eventually(t, func() bool { return len(s.Hub.Online()) == 2 }, patience, time.Millisecond)
	held, ok := s.Hub.Connection("7/r")
	require.True(t, ok)
	large, err := json.Marshal(map[string][]byte{"data": make([]byte, 1<<20)})
	require.NoError(t, err)
	var all sync.WaitGroup
	const calls = 8
	ended := make(chan error, calls+1)
	for range calls {
		all.Go(func() {
			_, err := held.Call(context.Background(), wire.Request{Op: "test.op", Body: large}, nil)
			ended <- err
		})
	}
	there, ok := s.Hub.Connection("8/r")
	require.True(t, ok)
	all.Go(func() {
		_, err := there.Call(context.Background(), wire.Request{Op: "test.op", Body: json.RawMessage(`{}`)}, nil)
		ended <- err
	})
	request := other.receive()
	other.send(request.ID, wire.TypeResult, struct{}{})
	all.Wait()
	close(ended)
	lost := 0
	for err := range ended {
		if errors.Is(err, sandbox.ErrBroken) || errors.Is(err, sandbox.ErrOffline) {
			lost++
		}
	}
	require.Equal(t, calls, lost)
	u.Ends()
	require.Len(t, s.Hub.Online(), 1)
}

// pipes is a listener whose connections have no buffers.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error { return nil }
func (pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestAttack_RunnersThatDoNotReadDelayTheStopOnce stops a server whose runners are all in the middle of a frame that they do not read.
func TestAttack_RunnersThatDoNotReadDelayTheStopOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		registry := runnerstest.NewRegistry()
		hub := runners.New(runners.Config{Registry: registry, Version: "test"})
		l := make(pipes)
		server := &http.Server{Handler: hub}
		var running sync.WaitGroup
		running.Go(func() { _ = server.Serve(l) })
		dialer := websocket.Dialer{NetDial: func(string, string) (net.Conn, error) {
			client, conn := net.Pipe()
			l <- conn
			return client, nil
		}}
		var conns []*websocket.Conn
		for i := range 20 {
			id := sandbox.RunnerID(fmt.Sprint("7/", i))
			registry.Add(string(id), runners.Identity{ID: id, Name: string(id[2:]), User: 7})
			conn, _, err := dialer.Dial("ws://runners/api/runners/connect", nil)
			require.NoError(t, err)
			conns = append(conns, conn)
			h := hello
			h.Token, h.Name = string(id), ""
			(&peer{T: t, conn: conn}).register(h)
			synctest.Wait()
			held, ok := hub.Connection(id)
			require.True(t, ok)
			running.Go(func() {
				_, err := held.Call(context.Background(), wire.Request{Op: "test.op", Body: json.RawMessage(`{}`)}, nil)
				if err == nil {
					t.Error("a call has ended well")
				}
			})
		}
		synctest.Wait()
		began := time.Now()
		hub.Close()
		require.Less(t, time.Since(began), 5*time.Second)
		close(l)
		require.NoError(t, server.Close())
		for _, conn := range conns {
			_ = conn.Close() // the server has
		}
		running.Wait()
	})
}
