// Package metrics collects data of a process for Prometheus on request: its build, its connections to the database, and how long accepted messages
// have waited. Its labels have few values: never a user, a conversation or an address.
package metrics

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

const (
	// keep is how long a reading of the inbox is reported again, so that many scrapers cost the database one query.
	keep = 10 * time.Second
	// queryTimeout bounds one reading. The metrics of the inbox are absent from a scrape for which the database does not answer.
	queryTimeout = 2 * time.Second
)

// NewBuild returns a gauge that is always 1, with the version of a process such as "xbot worker".
func NewBuild(process, version string) prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "xbot_build_info", Help: "1; the labels are the process, its version and that of Go.",
		ConstLabels: prometheus.Labels{"process": process, "version": version, "go": runtime.Version()},
	})
	g.Set(1)
	return g
}

// NewRunners returns a gauge of the runners that are connected to this process.
func NewRunners(connected func() int) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "xbot_runners_connected", Help: "Runners whose connection this process holds.",
	}, func() float64 { return float64(connected()) })
}

// Pool collects the connections of a process to Postgres.
type Pool struct {
	pool                               *pgxpool.Pool
	connections, most, waits, duration *prometheus.Desc
}

var _ prometheus.Collector = (*Pool)(nil)

// NewPool returns a collector of a pool.
func NewPool(pool *pgxpool.Pool) *Pool {
	return &Pool{
		pool:        pool,
		connections: prometheus.NewDesc("xbot_database_connections", "Connections to Postgres: in use, and idle.", []string{"state"}, nil),
		most:        prometheus.NewDesc("xbot_database_connections_max", "Connections that the process may open.", nil, nil),
		waits:       prometheus.NewDesc("xbot_database_waits_total", "How often something had to wait for a connection.", nil, nil),
		duration:    prometheus.NewDesc("xbot_database_wait_seconds_total", "How long all of these waited.", nil, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *Pool) Describe(to chan<- *prometheus.Desc) {
	to <- c.connections
	to <- c.most
	to <- c.waits
	to <- c.duration
}

// Collect implements prometheus.Collector.
func (c *Pool) Collect(to chan<- prometheus.Metric) {
	s := c.pool.Stat()
	to <- prometheus.MustNewConstMetric(c.connections, prometheus.GaugeValue, float64(s.AcquiredConns()), "used")
	to <- prometheus.MustNewConstMetric(c.connections, prometheus.GaugeValue, float64(s.IdleConns()), "idle")
	to <- prometheus.MustNewConstMetric(c.most, prometheus.GaugeValue, float64(s.MaxConns()))
	to <- prometheus.MustNewConstMetric(c.waits, prometheus.CounterValue, float64(s.EmptyAcquireCount()))
	to <- prometheus.MustNewConstMetric(c.duration, prometheus.CounterValue, s.EmptyAcquireWaitTime().Seconds())
}

// Waiting is the state of the messages that wait in the inbox.
type Waiting struct {
	Messages int
	Oldest   time.Duration // age of the oldest
}

// InboxStore reads the inbox.
type InboxStore interface {
	InboxWaiting(ctx context.Context) (messages int, oldest time.Duration, err error)
}

// Inbox collects the accepted messages that wait for a turn. Every ingress reports those of the installation.
type Inbox struct {
	store            InboxStore
	log              *slog.Logger
	messages, oldest *prometheus.Desc

	mu    sync.Mutex
	until time.Time
	last  Waiting
	err   error
}

var _ prometheus.Collector = (*Inbox)(nil)

// NewInbox returns a collector of the inbox.
func NewInbox(store InboxStore, log *slog.Logger) *Inbox {
	return &Inbox{
		store: store, log: log,
		messages: prometheus.NewDesc("xbot_inbox_messages", "Accepted messages that wait for a turn. Each ingress reports all.", nil, nil),
		oldest:   prometheus.NewDesc("xbot_inbox_oldest_seconds", "Age of the oldest of them; 0 without one.", nil, nil),
	}
}

// Describe implements prometheus.Collector.
func (c *Inbox) Describe(to chan<- *prometheus.Desc) {
	to <- c.messages
	to <- c.oldest
}

// Collect implements prometheus.Collector.
func (c *Inbox) Collect(to chan<- prometheus.Metric) {
	w, err := c.read()
	if err != nil {
		return
	}
	to <- prometheus.MustNewConstMetric(c.messages, prometheus.GaugeValue, float64(w.Messages))
	to <- prometheus.MustNewConstMetric(c.oldest, prometheus.GaugeValue, w.Oldest.Seconds())
}

func (c *Inbox) read() (Waiting, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Now().Before(c.until) {
		return c.last, c.err
	}
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	messages, oldest, err := c.store.InboxWaiting(ctx)
	c.until, c.last, c.err = time.Now().Add(keep), Waiting{messages, oldest}, err
	if err != nil {
		c.log.Warn("the inbox could not be read for metrics", "error", err)
	}
	return c.last, c.err
}
