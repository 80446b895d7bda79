package archive

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/memory/embed/embedtest"
)

func TestEmbed_WaitsAsLongAsTheServiceAsksFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ asked, pause time.Duration }{
		"nothing is asked for": {0, queryPause}, "two minutes": {2 * time.Minute, 2 * time.Minute}, "a day": {24 * time.Hour, keepMaxPause},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &embedtest.Embedder{}
				a := New(nil, e, slog.New(slog.DiscardHandler))
				e.Break(fault.Limited(c.asked, "slow down"))
				require.Nil(t, a.embed(t.Context(), "x"))
				e.Break(nil)
				<-time.After(c.pause - time.Millisecond)
				require.Nil(t, a.embed(t.Context(), "x"))
				<-time.After(time.Millisecond)
				require.NotNil(t, a.embed(t.Context(), "x"))
			})
		})
	}
}

func TestNextPause_GrowsAndIsAtLeastWhatTheServiceAsksFor(t *testing.T) {
	t.Parallel()
	down := fault.Errorf(fault.Unavailable, "down")
	require.Equal(t, 2*keepPause, nextPause(keepPause, down))
	require.Equal(t, keepMaxPause, nextPause(keepMaxPause, down))
	require.Equal(t, 5*time.Minute, nextPause(keepPause, fault.Limited(5*time.Minute, "slow down")))
	require.Equal(t, 2*keepPause, nextPause(keepPause, fault.Limited(time.Second, "slow down")))
	require.Equal(t, keepMaxPause, nextPause(keepPause, fault.Limited(time.Hour, "slow down")))
}
