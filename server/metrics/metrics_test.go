package metrics_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"

	"xbot/internal/pg"
	"xbot/internal/testing/pgtest"
	"xbot/server/metrics"
)

// inbox is a store of the inbox.
type inbox struct {
	reads int
	err   error
}

func (i *inbox) InboxWaiting(context.Context) (int, time.Duration, error) {
	i.reads++
	return 3, 90 * time.Second, i.err
}

// scrape returns what Prometheus reads of a collector.
func scrape(t *testing.T, c prometheus.Collector) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(c))
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

func TestInbox_ReadsOnceForManyScrapers(t *testing.T) {
	t.Parallel()
	rows := &inbox{}
	c := metrics.NewInbox(rows, slog.New(slog.DiscardHandler))
	for range 3 {
		text := scrape(t, c)
		require.Contains(t, text, "\nxbot_inbox_messages 3\n")
		require.Contains(t, text, "\nxbot_inbox_oldest_seconds 90\n")
	}
	require.Equal(t, 1, rows.reads)
}

func TestInbox_ReportsNothingWithoutADatabase(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c := metrics.NewInbox(&inbox{err: errors.New("the database is away")}, slog.New(slog.NewTextHandler(&log, nil)))
	require.Empty(t, scrape(t, c))
	require.Contains(t, log.String(), "the database is away")
}

func TestPool_ReportsConnectionsInUse(t *testing.T) {
	t.Parallel()
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	held, err := pool.Acquire(t.Context())
	require.NoError(t, err)
	defer held.Release()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(metrics.NewPool(pool), metrics.NewBuild("xbot serve", "1.2"), metrics.NewRunners(func() int { return 2 }))
	got := map[string]float64{}
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			if f.GetName() == "xbot_database_connections" {
				name += " " + m.GetLabel()[0].GetValue()
			}
			got[name] = m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	require.EqualValues(t, 1, got["xbot_database_connections used"])
	require.EqualValues(t, pool.Config().MaxConns, got["xbot_database_connections_max"])
	require.EqualValues(t, 2, got["xbot_runners_connected"])
	require.EqualValues(t, 1, got["xbot_build_info"])
	require.Contains(t, got, "xbot_database_waits_total")
	require.Contains(t, got, "xbot_database_wait_seconds_total")
}
