package ingress

import "github.com/prometheus/client_golang/prometheus"

// RelayMetrics counts what the relay had to mend. In quiet times all of it stands still.
type RelayMetrics struct {
	Woken   prometheus.Counter
	Settled *prometheus.CounterVec
	Held    prometheus.Gauge
}

// NewRelayMetrics registers the metrics.
func NewRelayMetrics(r prometheus.Registerer) *RelayMetrics {
	m := &RelayMetrics{
		Woken:   prometheus.NewCounter(prometheus.CounterOpts{Name: "xbot_relay_woken_total", Help: "Sessions woken because rows waited without a live turn."}),
		Settled: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "xbot_relay_settled_total", Help: "Turns settled because their run was gone, by what became of them."}, []string{"settled"}),
		Held:    prometheus.NewGauge(prometheus.GaugeOpts{Name: "xbot_turns_held", Help: "Turns whose run is blocked by a fault in workflow code, at the last look."}),
	}
	r.MustRegister(m.Woken, m.Settled, m.Held)
	return m
}
