package httpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/ingress/auth"
	"xbot/ingress/httpserver"
	"xbot/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// named answers with its name.
func named(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, name) }) // a recorder takes all
}

func routes(ready error) httpserver.Routes {
	hosts := auth.Hosts{Allowed: []string{"xbot.example"}}
	return httpserver.Routes{
		API: named("api"), OpenAPI: named("openapi"), Runners: named("runners"), Internal: named("internal"), Temporal: named("temporal"),
		Metrics: named("metrics"), Page: named("page"), Ready: readiness{ready}, Hosts: hosts, Refuser: forbids{},
	}
}

// readiness is why a server is not ready; nil: it is.
type readiness struct{ err error }

func (r readiness) Ready(context.Context) error { return r.err }

// forbids answers with the reason.
type forbids struct{}

func (forbids) Refuse(w http.ResponseWriter, _ *http.Request, err error) {
	http.Error(w, err.Error(), http.StatusForbidden)
}

func ask(h http.Handler, method, host, path string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1"+path, nil)
	r.Host = host
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestRoutes_LeadWhereTheySay(t *testing.T) {
	t.Parallel()
	h := routes(nil).Handler()
	for path, want := range map[string]string{
		"/": "page", "/c/agent:main:web:thread:1": "page", "/login": "page", "/api/me": "api", "/api/openapi.json": "openapi", "/metrics": "metrics",
		"/api/runners/connect": "runners", "/internal/runners/1/call": "internal", "/temporal/": "temporal", "/temporal/x/y": "temporal",
		"/healthz": "ok\n", "/readyz": "ok\n",
	} {
		require.Equal(t, want, ask(h, http.MethodGet, "127.0.0.1:8080", path).Body.String(), path)
	}
	bare := routes(nil)
	bare.Runners, bare.Internal, bare.Temporal = nil, nil, nil
	require.Equal(t, "page", ask(bare.Handler(), http.MethodGet, "127.0.0.1", "/temporal/").Body.String())
}

func TestRoutes_AnswerForeignHostsOnlyOnWhatHasNoSecrets(t *testing.T) {
	t.Parallel()
	h := routes(nil).Handler()
	for _, path := range []string{"/", "/api/me", "/api/openapi.json", "/metrics", "/temporal/", "/api/runners/connect", "/internal", "/internalx"} {
		w := ask(h, http.MethodGet, "evil.example", path)
		require.Equal(t, http.StatusForbidden, w.Code, path)
		require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"), "also on a refusal")
		require.NotEqual(t, http.StatusForbidden, ask(h, http.MethodGet, "xbot.example", path).Code)
	}
	for _, path := range []string{"/healthz", "/readyz", "/internal/runners/1"} {
		require.Equal(t, http.StatusOK, ask(h, http.MethodGet, "10.0.0.7:8080", path).Code, "a supervisor or another process uses an address")
	}
	w := ask(h, http.MethodGet, "evil.example", "/internal/../api/me")
	require.NotEqual(t, "api", w.Body.String(), "a path is not walked around")
}

func TestRoutes_EveryAnswerKeepsBrowsersCareful(t *testing.T) {
	t.Parallel()
	w := ask(routes(nil).Handler(), http.MethodGet, "127.0.0.1", "/api/me")
	require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
	require.Equal(t, "DENY", w.Header().Get("X-Frame-Options"))
	require.Equal(t, "same-origin", w.Header().Get("Referrer-Policy"))
}

func TestRoutes_ReadyTellsWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := ask(routes(errors.New("Postgres does not answer")).Handler(), http.MethodGet, "127.0.0.1", "/readyz")
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Equal(t, "not ready: Postgres does not answer\n", w.Body.String())
}

func TestListen_APortInUseIsASentence(t *testing.T) {
	t.Parallel()
	l, err := httpserver.Listen("127.0.0.1:0", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer l.Close()
	_, err = httpserver.Listen(l.Addr().String(), slog.New(slog.DiscardHandler))
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.ErrorContains(t, err, "stop what uses the port, or set XBOT_HTTP_ADDR")
}

// logs is a log that may be written while it is read.
type logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) { l.mu.Lock(); defer l.mu.Unlock(); return l.text.Write(p) }
func (l *logs) String() string              { l.mu.Lock(); defer l.mu.Unlock(); return l.text.String() }

// served is a server that runs.
type served struct {
	addr    string
	logs    *logs
	closing chan struct{}
	stop    context.CancelFunc
	ended   chan error
}

func serve(t *testing.T, h http.Handler) *served {
	t.Helper()
	l, err := httpserver.Listen("127.0.0.1:0", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	s := &served{addr: l.Addr().String(), logs: &logs{}, closing: make(chan struct{}), stop: cancel, ended: make(chan error, 1)}
	var running sync.WaitGroup
	running.Go(func() { s.ended <- httpserver.Serve(ctx, l, h, s.closing, slog.New(slog.NewTextHandler(s.logs, nil))) })
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return s
}

func TestServe_TellsStreamsToEndAndThenStops(t *testing.T) {
	t.Parallel()
	var s *served
	opened := make(chan struct{})
	s = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush() // the client is gone if this fails
		close(opened)
		select {
		case <-s.closing:
			_, _ = io.WriteString(w, "bye") // the client is gone if this fails
		case <-r.Context().Done():
		}
	}))
	resp, err := http.Get("http://" + s.addr)
	require.NoError(t, err)
	defer resp.Body.Close()
	<-opened
	s.stop()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, "bye", string(body), "the stream ended by itself")
	select {
	case err := <-s.ended:
		require.NoError(t, err)
	case <-time.After(time.Minute):
		require.Fail(t, "the server goes on")
	}
	_, err = net.Dial("tcp", s.addr)
	require.Error(t, err)
}

func TestServe_ARequestThatBreaksIsLoggedAndBreaksNothingElse(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/bug/{token}", func(http.ResponseWriter, *http.Request) { panic("poison") })
	mux.HandleFunc("/abort", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.Handle("/", named("fine"))
	s := serve(t, mux)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, path := range []string{"/bug/hunter2", "/abort"} {
		_, err := client.Get("http://" + s.addr + path)
		require.Error(t, err)
	}
	resp, err := client.Get("http://" + s.addr + "/")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Contains(t, s.logs.String(), "request broke")
	require.Contains(t, s.logs.String(), "poison")
	require.Contains(t, s.logs.String(), "/bug/{token}")
	require.NotContains(t, s.logs.String(), "hunter2", "a path may hold a token")
	require.Contains(t, s.logs.String(), "server_test.go", "where it broke")
	require.Equal(t, 1, strings.Count(s.logs.String(), "request broke"), "an abort is no bug")
}

// pipes is a listener whose connections hold nothing on the way: who writes waits for who reads.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error { close(p); return nil }
func (pipes) Addr() net.Addr { return &net.TCPAddr{} }

func TestServe_AClientThatWritesAllOfItsRequestReadsWhyItIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		l, closing, ended := make(pipes), make(chan struct{}), make(chan error)
		refuse := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer r.Body.Close()
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		})
		go func() { ended <- httpserver.Serve(ctx, l, refuse, closing, slog.New(slog.DiscardHandler)) }()
		for _, connection := range []string{"close", "keep-alive"} {
			client, server := net.Pipe()
			l <- server
			body := strings.Repeat("x", 200_000)
			_, err := io.WriteString(client, fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nConnection: %s\r\nContent-Length: %d\r\n\r\n%s", connection, len(body), body))
			require.NoError(t, err, connection)
			resp, err := http.ReadResponse(bufio.NewReader(client), nil)
			require.NoError(t, err, connection)
			require.Equal(t, http.StatusRequestEntityTooLarge, resp.StatusCode)
			require.NoError(t, resp.Body.Close())
			require.NoError(t, client.Close())
		}
		stop()
		require.NoError(t, <-ended)
	})
}

func TestServe_RefusesHeadersWithoutEnd(t *testing.T) {
	t.Parallel()
	s := serve(t, named("fine"))
	conn, err := net.Dial("tcp", s.addr)
	require.NoError(t, err)
	defer conn.Close()
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("x", 1<<20)) // the server may close before all was written
	}()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, resp.StatusCode)
	require.NoError(t, resp.Body.Close())
	require.NoError(t, conn.Close())
	<-written
}
