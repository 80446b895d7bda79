// Package runnerstest gives tests a real runner: a hub behind a real HTTP server, a real daemon process that connects
// to it, and sandboxes that reach the daemon directly or through the internal endpoint. Packages that use it call Main
// from their TestMain.
package runnerstest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners"
	"xbot/internal/sandbox"
	"xbot/internal/secret"
)

// Key is the key of test servers.
var Key = secret.Key{1}

// Server is one ingress process, as far as runners are concerned.
type Server struct {
	t        testing.TB
	Hub      *runners.Hub
	Registry *Registry
	http     *httptest.Server
	conns    *tracker
	closed   bool
}

// NewServer starts a server on a free port. A nil registry means a new one.
func NewServer(t testing.TB, registry *Registry) *Server {
	t.Helper()
	if registry == nil {
		registry = NewRegistry()
	}
	s := &Server{t: t, Registry: registry}
	mux := http.NewServeMux()
	s.http = httptest.NewUnstartedServer(mux)
	s.conns = &tracker{Listener: s.http.Listener, open: map[net.Conn]bool{}}
	s.http.Listener = s.conns
	s.http.Start()
	s.Hub = runners.New(runners.Config{Registry: registry, Kills: registry, Address: s.http.URL, Version: "test"})
	internal, err := s.Hub.Internal(Key.InternalKey())
	require.NoError(t, err)
	mux.Handle("GET /api/runners/connect", s.Hub)
	mux.Handle("/internal/runners/", internal)
	t.Cleanup(s.Close)
	return s
}

// URL returns the address of the server.
func (s *Server) URL() string { return s.http.URL }

// ConnectURL returns the address for runners.
func (s *Server) ConnectURL() string {
	return "ws" + strings.TrimPrefix(s.http.URL, "http") + "/api/runners/connect"
}

// Cut breaks every connection to the server without a farewell, WebSockets included.
func (s *Server) Cut() { s.conns.cut() }

// Close stops the server.
func (s *Server) Close() {
	if s.closed {
		return
	}
	s.closed = true
	s.Hub.Close()
	s.Cut()
	s.http.Close()
}

// Direct returns a sandbox of a runner whose socket this server holds.
func (s *Server) Direct(id sandbox.RunnerID, cfg sandbox.RunnerConfig) *sandbox.Runner {
	return s.box(id, sandbox.RouterConfig{Local: s.Hub}, cfg)
}

// Remote returns a sandbox as another process sees it: through the internal endpoint of whichever server holds the socket.
func (s *Server) Remote(id sandbox.RunnerID, cfg sandbox.RunnerConfig) *sandbox.Runner {
	return s.box(id, sandbox.RouterConfig{Holders: s.Registry, Key: Key}, cfg)
}

// Noted returns a sandbox whose kills are kept while the runner is out of reach.
func (s *Server) Noted(id sandbox.RunnerID, cfg sandbox.RunnerConfig) *sandbox.Runner {
	return s.box(id, sandbox.RouterConfig{Local: s.Hub, Kills: s.Registry}, cfg)
}

func (s *Server) box(id sandbox.RunnerID, route sandbox.RouterConfig, cfg sandbox.RunnerConfig) *sandbox.Runner {
	router := sandbox.NewRouter(route)
	s.t.Cleanup(router.Close)
	return sandbox.NewRunner(string(id), router.Link(id), cfg)
}

// Runner is a daemon that is connected to a server.
type Runner struct {
	*Daemon
	Server *Server
	ID     sandbox.RunnerID
}

// StartRunner starts a daemon and waits until it is connected. Server and Token of cfg are filled in.
func (s *Server) StartRunner(id sandbox.RunnerID, cfg DaemonConfig) *Runner {
	s.t.Helper()
	cfg.Server, cfg.Token = s.ConnectURL(), "token of "+string(id)
	s.Registry.Add(cfg.Token, runners.Identity{ID: id, Name: string(id)})
	r := &Runner{Daemon: NewDaemon(s.t, cfg), Server: s, ID: id}
	r.Start()
	r.WaitConnected()
	return r
}

// WaitConnected waits until the server holds the runner's socket.
func (r *Runner) WaitConnected() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if _, err := r.Server.Direct(r.ID, sandbox.RunnerConfig{OfflineWait: 20 * time.Second}).Info(ctx); err != nil {
		require.NoError(r.t, err, r.Log())
	}
}

// Box starts a server and a runner and returns a sandbox of it: all that most tests need.
func Box(t testing.TB) (*sandbox.Runner, *Runner) {
	t.Helper()
	s := NewServer(t, nil)
	r := s.StartRunner("local", DaemonConfig{})
	return s.Direct("local", sandbox.RunnerConfig{}), r
}
