package manage_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/ingress/runners"
	"xbot/ingress/runners/manage"
	"xbot/internal/chat"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/secret"
	"xbot/runner/socket"
	"xbot/runner/wire"
)

// key is shared by the replicas of a test.
var key = secret.Key{1}

// replica is an ingress process, as far as runners are concerned.
func (b *bundle) replica() (*runners.Hub, string) {
	b.T.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	hub := runners.New(runners.Config{Registry: manage.Registry{Runners: b.Store.Runners}, Address: server.URL, Version: "test"})
	internal, err := hub.Internal(key.InternalKey())
	require.NoError(b.T, err)
	mux.Handle("GET /api/runners/connect", hub)
	mux.Handle("/internal/", internal)
	b.T.Cleanup(func() { hub.Close(); server.Close() })
	return hub, server.URL
}

// demo answers everybody.
type demo struct{}

func (demo) Of(context.Context, chat.UserID) (string, error) { return "demo/demo", nil }

func TestRunners_ARevokedRunnerIsClosedAtOnceWhicheverReplicaHoldsIt(t *testing.T) {
	b := setup(t)
	here, _ := b.replica()
	there, address := b.replica()
	router := sandbox.NewRouter(sandbox.RouterConfig{Local: here, Holders: manage.Registry{Runners: b.Store.Runners}, Key: key})
	t.Cleanup(router.Close)
	people := &manage.Runners{
		Settings: b.Store.Settings, Runners: b.Store.Runners, Usual: demo{}, Log: slog.New(slog.DiscardHandler), Resolver: resolver.New(resolver.Config{Choices: b.Store.Runners, Router: router}),
	}
	made, err := people.Create(t.Context(), b.User, "laptop", "https://xbot.example.org/")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(made.Command, "xbot-runner --server wss://xbot.example.org/api/runners/connect "), made.Command)

	sock, err := socket.Dial(t.Context(), "ws"+strings.TrimPrefix(address, "http")+"/api/runners/connect")
	require.NoError(t, err)
	defer sock.Close(socket.CodeGoingAway, "the test is over")
	hello, err := wire.NewFrame(0, wire.TypeRegister, wire.Register{
		Protocol: wire.Version, Token: made.Token, Info: wire.Info{Store: "s", Workspace: "/w", Version: "test"},
	})
	require.NoError(t, err)
	require.NoError(t, sock.Send(hello))
	welcome, err := sock.Receive()
	require.NoError(t, err)
	require.Equal(t, wire.TypeRegistered, welcome.Type)
	require.Eventually(t, func() bool { return len(there.Online()) == 1 }, ingresstest.Limit, 5*time.Millisecond)
	require.Empty(t, here.Online())

	require.NoError(t, people.Revoke(t.Context(), b.User, "laptop"))
	_, err = sock.Receive()
	require.ErrorContains(t, err, "revoked")
	require.Eventually(t, func() bool { return len(there.Online()) == 0 }, ingresstest.Limit, 5*time.Millisecond)
}
