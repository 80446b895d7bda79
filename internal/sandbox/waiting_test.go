package sandbox

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/runner/wire"
)

// late is a link whose runner comes after a while.
type late struct {
	Link

	after time.Duration
}

func (l late) Ready(ctx context.Context) (wire.Info, error) {
	select {
	case <-ctx.Done():
		return wire.Info{}, ErrOffline
	case <-time.After(l.after):
		return wire.Info{}, nil
	}
}

func TestWithWaitObserver_ReportsAWaitThatLastsAndItsEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after time.Duration
		want  []bool
	}{
		"a runner that is there":    {0, nil},
		"a runner that comes soon":  {LastingWait - time.Millisecond, nil},
		"a runner that comes late":  {LastingWait + time.Second, []bool{true, false}},
		"a runner that never comes": {time.Hour, []bool{true, false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var told []bool
				ctx := WithWaitObserver(t.Context(), func(runner string, waits bool) {
					require.Equal(t, "box", runner)
					told = append(told, waits)
				})
				_, err := NewRunner("box", late{after: c.after}, RunnerConfig{}).Info(ctx)
				require.Equal(t, c.after > defaultOfflineWait, err != nil)
				require.Equal(t, c.want, told)
			})
		})
	}
}
