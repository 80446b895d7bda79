package tokencount_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"xbot/internal/service/servicestore"
	"xbot/server/tokencount"
)

// fakeStore counts how often it is asked.
type fakeStore struct {
	asked int
	taken []servicestore.TokenUsage
	err   error
}

func (f *fakeStore) ServiceTokens(context.Context) ([]servicestore.TokenUsage, error) {
	f.asked++
	return f.taken, f.err
}

// told is what Prometheus reads, by service and kind.
func told(t *testing.T, r *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := r.Gather()
	require.NoError(t, err)
	out := map[string]float64{}
	for _, family := range families {
		require.Equal(t, "xbot_service_tokens_total", family.GetName())
		for _, m := range family.GetMetric() {
			require.Len(t, m.GetLabel(), 2, "service and kind")
			out[m.GetLabel()[1].GetValue()+" "+m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
		}
	}
	return out
}

func TestCollector_TellsTheTokensOfEachServiceAndAsksOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &fakeStore{taken: []servicestore.TokenUsage{{Service: "svc_1", Prompt: 30, Cached: 10, Completion: 5}}}
		r := prometheus.NewRegistry()
		r.MustRegister(tokencount.New(store, slog.New(slog.DiscardHandler)))
		first := map[string]float64{"svc_1 prompt": 30, "svc_1 cached": 10, "svc_1 completion": 5}
		require.Equal(t, first, told(t, r))
		store.taken = []servicestore.TokenUsage{{Service: "svc_1", Prompt: 40}}
		require.Equal(t, first, told(t, r))
		require.Equal(t, 1, store.asked)

		<-time.After(time.Minute)
		require.Equal(t, map[string]float64{"svc_1 prompt": 40, "svc_1 cached": 0, "svc_1 completion": 0}, told(t, r))

		<-time.After(time.Minute)
		store.err = errors.New("the database is away")
		require.InDelta(t, 40, told(t, r)["svc_1 prompt"], 0, "what was read last is told")
		require.Equal(t, 3, store.asked)
	})
}
