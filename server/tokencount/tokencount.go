// Package tokencount exports the tokens that models used for the consumers of services to Prometheus. Workers book them in the database, so it
// is read there when Prometheus asks. Its labels are as many as there are services: never a key or a conversation.
package tokencount

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"xbot/internal/service/servicestore"
)

const (
	// keep is how long a result is reused, so that many scrapes cost the database one query.
	keep = time.Minute
	// wait is how long a query may take. After that the last result is exported.
	wait = 5 * time.Second
)

// Store sums up tokens.
type Store interface {
	ServiceTokens(ctx context.Context) ([]servicestore.TokenUsage, error)
}

// Collector is a prometheus.Collector of a store.
type Collector struct {
	store Store
	log   *slog.Logger
	total *prometheus.Desc

	mu    sync.Mutex
	until time.Time // until when the result is reused
	taken []servicestore.TokenUsage
}

var _ prometheus.Collector = (*Collector)(nil)

// New returns a collector. Register it.
func New(store Store, log *slog.Logger) *Collector {
	return &Collector{store: store, log: log, total: prometheus.NewDesc(
		"xbot_service_tokens_total", "Tokens that models took for the consumers of services, by kind: prompt, cached (part of prompt), completion. Each ingress tells all.",
		[]string{"service", "kind"}, nil,
	)}
}

// Describe sends the description of the metric.
func (c *Collector) Describe(to chan<- *prometheus.Desc) { to <- c.total }

// Collect sends the counts.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	for _, t := range c.read() {
		tell := func(kind string, n int64) {
			to <- prometheus.MustNewConstMetric(c.total, prometheus.CounterValue, float64(n), t.Service, kind)
		}
		tell("prompt", t.Prompt)
		tell("cached", t.Cached)
		tell("completion", t.Completion)
	}
}

// read looks once in a while, also where it fails.
func (c *Collector) read() []servicestore.TokenUsage {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Now().Before(c.until) {
		return c.taken
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	taken, err := c.store.ServiceTokens(ctx)
	c.until = time.Now().Add(keep)
	if err != nil {
		c.log.Warn("tokens of services cannot be read, telling those of before", "error", err)
		return c.taken
	}
	c.taken = taken
	return taken
}
