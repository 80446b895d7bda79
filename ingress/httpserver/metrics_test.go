package httpserver_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"

	"xbot/ingress/httpserver"
)

// scrape returns what Prometheus reads.
func scrape(registry *prometheus.Registry) string {
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

func TestMetrics_CountRequestsByRouteNeverByAddress(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	r := routes(nil)
	r.API = http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch q.URL.Path {
		case "/api/events":
			w.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(w).Flush() // the client waits for no body
		case "/api/socket":
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n") // the client may be gone
			_ = conn.Close()
		case "/api/broken":
			w.WriteHeader(http.StatusInternalServerError)
		default:
			_, _ = io.WriteString(w, "ok") // as above
		}
	})
	server := httptest.NewServer(httpserver.NewMetrics(registry).Measure(r.Handler()))
	defer server.Close()
	get := func(host, path string) {
		t.Helper()
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		require.NoError(t, err)
		q.Host = host
		answer, err := server.Client().Do(q)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
	}
	for _, path := range []string{"/api/sessions/a", "/api/sessions/b", "/api/events", "/api/socket", "/api/broken", "/", "/any/page", "/healthz"} {
		get("xbot.example", path)
	}
	get("evil.example", "/api/sessions/c")
	want := strings.Fields(strings.ReplaceAll(`
xbot_http_requests_total{route="/",status="2xx"} 2
xbot_http_requests_total{route="/api/",status="1xx"} 1
xbot_http_requests_total{route="/api/",status="2xx"} 3
xbot_http_requests_total{route="/api/",status="5xx"} 1
xbot_http_requests_total{route="/healthz",status="2xx"} 1
xbot_http_requests_total{route="none",status="4xx"} 1
`, " ", "="))
	counted := func() (got []string) {
		for line := range strings.Lines(scrape(registry)) {
			if strings.HasPrefix(line, "xbot_http_requests_total{") {
				got = append(got, strings.ReplaceAll(strings.TrimSpace(line), " ", "="))
			}
		}
		return got
	}
	require.Eventually(t, func() bool { return slices.Equal(want, counted()) }, 10*time.Second, 10*time.Millisecond, "the server counts after it has answered: %v", counted())
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "xbot_http_request_seconds" && m.GetLabel()[0].GetValue() == "/api/" {
				require.EqualValues(t, 3, m.GetHistogram().GetSampleCount(), "neither the stream nor the WebSocket")
			}
		}
	}
}
