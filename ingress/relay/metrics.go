package relay

import "github.com/prometheus/client_golang/prometheus"

// Metrics counts the repairs of the relay. Without faults its counters stay the same.
type Metrics struct {
	Woken   prometheus.Counter
	Settled *prometheus.CounterVec
	Held    prometheus.Gauge
	Paused  prometheus.Gauge

	Running prometheus.Gauge     // turns
	Waiting prometheus.Gauge     // sessions that wait for a turn
	Without prometheus.Gauge     // turns that wait for a model provider
	Unused  prometheus.Counter   // slots that were granted and not used in time
	Calls   *prometheus.GaugeVec // calls to models
}

// NewMetrics registers the metrics.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		Woken:   prometheus.NewCounter(prometheus.CounterOpts{Name: "xbot_relay_woken_total", Help: "Sessions woken because rows waited without a live turn."}),
		Settled: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "xbot_relay_settled_total", Help: "Turns settled because their run was gone, by what became of them."}, []string{"settled"}),
		Held:    prometheus.NewGauge(prometheus.GaugeOpts{Name: "xbot_turns_held", Help: "Turns whose run is blocked by a fault in workflow code, at the last look."}),
		Paused:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "xbot_turns_paused", Help: "Turns whose run was paused in the Temporal UI, at the last look."}),
		Running: prometheus.NewGauge(prometheus.GaugeOpts{Name: "xbot_turns_running", Help: "Turns that run, at the last look."}),
		Waiting: prometheus.NewGauge(prometheus.GaugeOpts{Name: "xbot_turns_waiting", Help: "Sessions that wait for a free turn, at the last look."}),
		Without: prometheus.NewGauge(prometheus.GaugeOpts{Name: "xbot_turns_without_provider", Help: "Turns that wait for a model provider that cannot be reached, at the last look."}),
		Unused:  prometheus.NewCounter(prometheus.CounterOpts{Name: "xbot_turns_unused_total", Help: "Free turns that were kept for the next in line and not used in time."}),
		Calls:   prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "xbot_llm_calls", Help: "Calls to models at the last look, by whether they run or wait for a free place of their tenant."}, []string{"state"}),
	}
	r.MustRegister(m.Woken, m.Settled, m.Held, m.Paused, m.Running, m.Waiting, m.Without, m.Unused, m.Calls)
	return m
}
