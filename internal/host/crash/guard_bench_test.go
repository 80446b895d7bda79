package crash_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"xbot/internal/host/crash"
)

// BenchmarkGuard measures what begin and end of a first attempt cost.
func BenchmarkGuard(b *testing.B) {
	g := crash.NewGuard(version, noCounts{}, prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	require.NoError(b, g.Open(b.Context(), b.TempDir()))
	b.Cleanup(func() { require.NoError(b, g.Close()) })
	b.ReportAllocs()
	for b.Loop() {
		end, err := g.Begin(b.Context(), attempt(poison))
		require.NoError(b, err)
		end(true)
	}
}

// noCounts has no counts.
type noCounts struct{}

func (noCounts) CountCrash(context.Context, string, crash.Death) error { return nil }

func (noCounts) CrashCount(context.Context, string, crash.Call) (crash.Count, error) {
	return crash.Count{}, nil
}

func (noCounts) CrashCounts(context.Context, string) (map[crash.Call]crash.Count, error) {
	return map[crash.Call]crash.Count{}, nil
}

func (noCounts) ForgetCrashes(context.Context, crash.Call) error { return nil }

func (noCounts) ForgiveCrashes(context.Context, crash.Call) error { return nil }

func (noCounts) GiveUpCall(context.Context, crash.Call) error { return nil }
