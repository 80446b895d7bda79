package httpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/ingress/auth"
	"xbot/ingress/httpserver"
	"xbot/ingress/temporalui"
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
		Metrics: named("metrics"), Page: named("page"), Ready: func(context.Context) error { return ready }, Host: hosts.Check,
		Refuse: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusForbidden)
		},
	}
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
	l, err := httpserver.Listen("127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, err = httpserver.Listen(l.Addr().String())
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
	l, err := httpserver.Listen("127.0.0.1:0")
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
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bug":
			panic("poison")
		case "/abort":
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, "fine") // the client is gone if this fails
	}))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, path := range []string{"/bug", "/abort"} {
		_, err := client.Get("http://" + s.addr + path)
		require.Error(t, err)
	}
	resp, err := client.Get("http://" + s.addr + "/")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Contains(t, s.logs.String(), "request broke")
	require.Contains(t, s.logs.String(), "poison")
	require.Contains(t, s.logs.String(), "server_test.go", "where it broke")
	require.Equal(t, 1, strings.Count(s.logs.String(), "request broke"), "an abort is no bug")
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

func TestTemporalUI_SeesNothingOfThePersonsCredentials(t *testing.T) {
	t.Parallel()
	var got *http.Request
	ui := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		w.Header().Set("X-Frame-Options", "SAMEORIGIN")
		_, _ = io.WriteString(w, "ui") // the client is gone if this fails
	}))
	defer ui.Close()
	target, err := url.Parse(ui.URL)
	require.NoError(t, err)
	allowed := true
	h := temporalui.TemporalUI{
		Target: target, Header: "X-Secret", Token: "s3cret", Cookie: auth.CookieName,
		Base: func(*http.Request) string { return "/temporal/" }, Allowed: func(*http.Request) bool { return allowed },
	}.Handler()
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080/temporal/api/v1/a%2Fb?q=1", strings.NewReader("body"))
	r.Header.Set("Authorization", "Bearer token")
	r.Header.Set("Origin", "http://127.0.0.1:8080")
	r.Header.Set("Referer", "http://127.0.0.1:8080/temporal/k/key/")
	r.Header.Set("X-Secret", "planted")
	r.AddCookie(&http.Cookie{Name: auth.CookieName, Value: "login"})
	r.AddCookie(&http.Cookie{Name: "_csrf", Value: "of the UI"})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, "ui", w.Body.String())
	require.Equal(t, "/temporal/api/v1/a%2Fb?q=1", got.RequestURI, "the path is passed on as it was escaped")
	require.Equal(t, target.Host, got.Host)
	require.Equal(t, []string{"s3cret"}, got.Header.Values("X-Secret"))
	require.Empty(t, got.Header.Get("Authorization"))
	require.Empty(t, got.Header.Get("Origin"))
	require.Empty(t, got.Header.Get("Referer"))
	require.Equal(t, "_csrf=\"of the UI\"", got.Header.Get("Cookie"))

	allowed, got = false, nil
	w = httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, http.StatusForbidden, w.Code)
	require.Nil(t, got)

	allowed = true
	ui.Close()
	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/temporal/", nil))
	require.Equal(t, http.StatusBadGateway, w.Code)
	require.Contains(t, w.Body.String(), "xbot doctor")
}

// hashOf is how a Content-Security-Policy permits a script.
func hashOf(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func TestTemporalUI_ItsPageFindsItselfWhereTheBrowserFoundIt(t *testing.T) {
	t.Parallel()
	ui := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Referrer-Policy", "unsafe-url")
		switch r.URL.Path {
		case "/temporal/moved":
			http.Redirect(w, r, "/temporal/namespaces", http.StatusFound)
		case "/temporal/data":
			w.Header().Set("Content-Type", "application/json")
			fallthrough
		case "/temporal/render":
			_, _ = io.WriteString(w, `"/temporal/x"`) // the client is gone if this fails
		default:
			if r.Header.Get("Accept-Encoding") == "br" {
				t.Error("the page has to be read on the way")
			}
			w.Header().Set("Content-Security-Policy", "script-src "+hashOf(`base: "/temporal"`)+" "+hashOf("other()"))
			_, _ = io.WriteString(w, `<script>base: "/temporal"</script><script>other()</script> import("/temporal/_app/start.js") "/temporality"`) // the client is gone if this fails
		}
	}))
	defer ui.Close()
	target, err := url.Parse(ui.URL)
	require.NoError(t, err)
	h := temporalui.TemporalUI{
		Target: target, Base: func(*http.Request) string { return "/temporal/k/key/" }, Allowed: func(*http.Request) bool { return true },
	}.Handler()
	get := func(path string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8080"+path, nil)
		r.Header.Set("Accept", "text/html")
		r.Header.Set("Accept-Encoding", "br")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	page := get("/temporal/")
	require.Equal(t, `<script>base: "/temporal/k/key"</script><script>other()</script> import("/temporal/k/key/_app/start.js") "/temporality"`, page.Body.String())
	require.Equal(t, "script-src "+hashOf(`base: "/temporal/k/key"`)+" "+hashOf("other()"), page.Header().Get("Content-Security-Policy"), "its scripts may still run")
	require.Equal(t, "no-store", page.Header().Get("Cache-Control"))
	require.Empty(t, page.Header().Get("Referrer-Policy"), "that of the ingress stands")
	require.Equal(t, "/temporal/k/key/namespaces", get("/temporal/moved").Header().Get("Location"))
	require.Equal(t, `"/temporal/x"`, get("/temporal/data").Body.String(), "only the page itself")
	require.Equal(t, `"/temporal/x"`, get("/temporal/render").Body.String(), "what others wrote learns nothing")
}
