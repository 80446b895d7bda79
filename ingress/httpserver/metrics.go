package httpserver

import (
	"bufio"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts the requests of the server by the route that answered them, of which there are as many as Routes has parts.
type Metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

// NewMetrics registers the metrics.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "xbot_http_requests_total", Help: "Requests by route and class of the status: 1xx, 2xx, 3xx, 4xx, 5xx.",
		}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "xbot_http_request_seconds", Help: "How long requests took, except event streams and WebSockets, by route.",
			Buckets: []float64{.005, .025, .1, .5, 1, 5, 30, 120},
		}, []string{"route"}),
	}
	r.MustRegister(m.requests, m.seconds)
	return m
}

// Measure counts the requests that next answers, the handler of Routes.
func (m *Metrics) Measure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		begin, measured := time.Now(), &response{ResponseWriter: w}
		defer func() { // also for a handler that panics
			route := routeOf(q)
			m.requests.WithLabelValues(route, measured.class()).Inc()
			if !measured.streams() {
				m.seconds.WithLabelValues(route).Observe(time.Since(begin).Seconds())
			}
		}()
		next.ServeHTTP(measured, q)
	})
}

// routeOf returns the path of the pattern that matched, such as /api/; "none" if none did.
func routeOf(q *http.Request) string {
	path := q.Pattern[strings.IndexByte(q.Pattern, ' ')+1:]
	if path == "" {
		return "none"
	}
	return path
}

// response is a response that records its status.
type response struct {
	http.ResponseWriter

	status int
}

// WriteHeader implements http.ResponseWriter.
func (r *response) WriteHeader(status int) {
	if r.status < http.StatusOK { // an informational one may come before
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (r *response) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Hijack implements http.Hijacker, for WebSockets.
func (r *response) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := http.NewResponseController(r.ResponseWriter).Hijack()
	if err == nil {
		r.status = http.StatusSwitchingProtocols
	}
	return conn, buffer, err
}

// Flush implements http.Flusher.
func (r *response) Flush() { _ = http.NewResponseController(r.ResponseWriter).Flush() } // what is not flushed is written later

// class returns the class of the status, such as 2xx.
func (r *response) class() string {
	status := r.status
	if status == 0 {
		status = http.StatusOK
	}
	return strconv.Itoa(status/100) + "xx"
}

// streams reports whether the response ends only when its reader leaves.
func (r *response) streams() bool {
	return r.status == http.StatusSwitchingProtocols || strings.HasPrefix(r.Header().Get("Content-Type"), "text/event-stream")
}
