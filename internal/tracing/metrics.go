package tracing

import "github.com/prometheus/client_golang/prometheus"

// Outcomes of exports.
const (
	outcomeSent    = "sent"
	outcomeFailed  = "failed"  // will be tried again
	outcomeRefused = "refused" // by the target, permanently
	outcomeDropped = "dropped" // deleted because it waited for too long, or too many waited
)

// Metrics counts exports. A nil one counts nothing.
type Metrics struct {
	exports *prometheus.CounterVec
	queue   *prometheus.GaugeVec
}

// NewMetrics registers the metrics.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		exports: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "xbot_trace_exports_total", Help: "Exports of traces and scores by target and outcome: sent, failed (tried again), refused, dropped."}, []string{"target", "outcome"}),
		queue:   prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "xbot_trace_exports_waiting", Help: "Traces and scores that a target has not received yet, at the last look."}, []string{"target"}),
	}
	r.MustRegister(m.exports, m.queue)
	return m
}

func (m *Metrics) count(target, outcome string, n int) {
	if m != nil {
		m.exports.WithLabelValues(target, outcome).Add(float64(n))
	}
}

func (m *Metrics) waiting(target string, n int) {
	if m != nil {
		m.queue.WithLabelValues(target).Set(float64(n))
	}
}
