package runners_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners"
	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/secret"
	"xbot/runner/socket"
	"xbot/runner/wire"
)

func TestKill_OfARunnerOutOfReachIsCarriedOutWhenItReturns(t *testing.T) {
	t.Parallel()
	s := runnerstest.NewServer(t, nil)
	r := s.StartRunner("local", runnerstest.DaemonConfig{})
	box := s.Noted("local", sandbox.RunnerConfig{})
	up := make(chan struct{}, 1)
	ended := make(chan sandbox.ExecResult, 1)
	go func() {
		got, err := box.Exec(t.Context(), sandbox.ExecRequest{ID: "t.0.0", Command: "echo up; exec sleep 600", Output: func(int64, []byte) {
			up <- struct{}{}
		}})
		if err != nil {
			t.Error(err)
		}
		ended <- got
	}()
	<-up
	r.Kill()
	err := box.Kill(t.Context(), "t.0.0")
	pending := new(sandbox.KillPendingError)
	require.ErrorAs(t, err, &pending)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.EqualError(t, pending, "runner local is out of reach: the kill is noted and carried out when it returns")

	r.Start()
	require.Equal(t, sandbox.ExecKilled, (<-ended).State)
	require.Eventually(t, func() bool {
		open, err := s.Registry.OpenKills(t.Context(), []sandbox.RunnerID{"local"})
		return err == nil && len(open) == 0
	}, patience, time.Millisecond, "it is noted as sent")
}

func TestKill_OfARunnerInReachLeavesNoNote(t *testing.T) {
	t.Parallel()
	s := runnerstest.NewServer(t, nil)
	s.StartRunner("local", runnerstest.DaemonConfig{})
	box := s.Noted("local", sandbox.RunnerConfig{})
	require.NoError(t, box.Kill(t.Context(), "t.0.0"))
	open, err := s.Registry.OpenKills(t.Context(), []sandbox.RunnerID{"local"})
	require.NoError(t, err)
	require.Empty(t, open)
	got, err := box.Exec(t.Context(), sandbox.ExecRequest{ID: "t.0.0", Command: "true"})
	require.NoError(t, err)
	require.Equal(t, sandbox.ExecKilled, got.State)
}

func TestRouter_DropsARunnerWhoeverHoldsIt(t *testing.T) {
	t.Parallel()
	s := server(t)
	p := dial(t, s)
	p.register(hello)
	require.Eventually(t, func() bool { return len(s.Hub.Online()) == 1 }, patience, time.Millisecond)
	s.Registry.Revoke("good")
	other := runnerstest.NewServer(t, s.Registry)
	router := sandbox.NewRouter(sandbox.RouterConfig{Local: other.Hub, Holders: s.Registry, Key: runnerstest.Key})
	defer router.Close()
	require.NoError(t, router.Drop(t.Context(), "7/r"))
	require.Equal(t, socket.CodeRefused, p.closed())
	require.NoError(t, router.Drop(t.Context(), "nobody"))

	stranger := sandbox.NewRouter(sandbox.RouterConfig{Holders: s.Registry, Key: secret.Key{2}})
	defer stranger.Close()
	q := dial(t, s)
	s.Registry.Add("good", runners.Identity{ID: "7/r", Name: "r"})
	q.register(hello)
	require.Eventually(t, func() bool { return len(s.Hub.Online()) == 1 }, patience, time.Millisecond)
	require.Error(t, stranger.Drop(t.Context(), "7/r"))
	s.Close()
	require.NoError(t, router.Drop(t.Context(), "7/r"), "a process that is gone holds nothing")
}

// visit is a connection that somebody syncs.
type visit struct {
	id  sandbox.RunnerID
	ctx context.Context
}

// visits syncs each connection until it ends.
type visits chan visit

func (v visits) Sync(ctx context.Context, _ sandbox.Local, id sandbox.RunnerID) {
	v <- visit{id, ctx}
	<-ctx.Done()
}

func TestHub_SyncsForAsLongAsTheConnectionLives(t *testing.T) {
	t.Parallel()
	visits := make(visits, 1)
	registry := runnerstest.NewRegistry()
	registry.Add("good", runners.Identity{ID: "7/r", Name: "r", User: chat.UserID(7)})
	hub := runners.New(runners.Config{Registry: registry, Syncer: visits})
	server := httptest.NewServer(http.Handler(hub))
	defer server.Close()
	defer hub.Close()
	sock, err := socket.Dial(t.Context(), "ws"+server.URL[len("http"):])
	require.NoError(t, err)
	frame, err := wire.NewFrame(0, wire.TypeRegister, hello)
	require.NoError(t, err)
	require.NoError(t, sock.Send(frame))
	got := <-visits
	require.EqualValues(t, "7/r", got.id)
	require.NoError(t, got.ctx.Err())
	sock.Close(socket.CodeGoingAway, "")
	<-got.ctx.Done()
}
