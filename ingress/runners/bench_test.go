package runners_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/sandbox"
)

// BenchmarkExec measures the round trip of a trivial command: attach, start, durable start and end, result. Set
// XBOT_RUNNER_BIN to a built xbot-runner for figures of the real thing.
func BenchmarkExec(b *testing.B) {
	for _, confinement := range []string{"require", "off"} {
		s := runnerstest.NewServer(b, nil)
		s.StartRunner("local", runnerstest.DaemonConfig{Args: []string{"--confine", confinement}})
		b.Run("direct/confine="+confinement, func(b *testing.B) { roundTrips(b, s.Direct("local", sandbox.RunnerConfig{})) })
		b.Run("http/confine="+confinement, func(b *testing.B) { roundTrips(b, s.Remote("local", sandbox.RunnerConfig{})) })
	}
	b.Run("docker", func(b *testing.B) {
		runnerstest.Image(b)
		s := runnerstest.NewServer(b, nil)
		s.StartContainer("docker", runnerstest.DaemonConfig{})
		roundTrips(b, s.Direct("docker", sandbox.RunnerConfig{}))
	})
}

func roundTrips(b *testing.B, box *sandbox.Runner) {
	var times []time.Duration
	for b.Loop() {
		id := chat.CallID(fmt.Sprintf("%p.%d", b, len(times)))
		begin := time.Now()
		got, err := box.Exec(b.Context(), sandbox.ExecRequest{ID: id, Command: "true"})
		times = append(times, time.Since(begin))
		require.NoError(b, err)
		require.Equal(b, sandbox.ExecExited, got.State)
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*95/100].Microseconds())/1000, "p95-ms")
}

// BenchmarkFiles measures how fast file content passes, in parts of wire.MaxChunk.
func BenchmarkFiles(b *testing.B) {
	s := runnerstest.NewServer(b, nil)
	s.StartRunner("local", runnerstest.DaemonConfig{})
	box, data := s.Direct("local", sandbox.RunnerConfig{}), make([]byte, 8<<20)
	b.Run("write", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			require.NoError(b, box.WriteFile(b.Context(), "f", data, sandbox.WriteReplace))
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			_, err := box.ReadFile(b.Context(), "f", 0, 0)
			require.NoError(b, err)
		}
	})
	b.Run("stat", func(b *testing.B) {
		for b.Loop() {
			_, err := box.Stat(b.Context(), "f")
			require.NoError(b, err)
		}
	})
}
