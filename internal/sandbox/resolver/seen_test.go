package resolver_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
	"xbot/runner/wire"
)

// socket is a runner that is connected to this process, or not.
type socket struct{ connected bool }

func (s *socket) Connection(sandbox.RunnerID) (sandbox.Connection, bool) { return s, s.connected }
func (s *socket) Changed() <-chan struct{}                               { return nil }
func (s *socket) Drop(sandbox.RunnerID)                                  {}
func (s *socket) Info(context.Context) (wire.Info, error)                { return wire.Info{Workspace: "/w"}, nil }
func (s *socket) Call(context.Context, wire.Request, func(wire.Push) error) (wire.Response, error) {
	return wire.Response{}, sandbox.ErrOffline
}

func TestSeen_WaitsOnceForARunnerThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		laptop := &socket{}
		r := resolver.New(resolver.Config{Choices: people{}, Router: sandbox.NewRouter(sandbox.RouterConfig{Local: laptop})})
		seen := func() (time.Duration, error) {
			ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
			defer cancel()
			began := time.Now()
			_, err := r.Seen(ctx, 2, "laptop")
			return time.Since(began), err
		}
		for turn, waits := range []time.Duration{250 * time.Millisecond, 0, 0} {
			took, err := seen()
			require.Equal(t, fault.Unavailable, fault.KindOf(err))
			require.Equal(t, waits, took, "turn %d", turn)
		}

		laptop.connected = true
		_, err := seen()
		require.NoError(t, err)

		laptop.connected = false // it may come back at once, so it is waited for again
		took, err := seen()
		require.Error(t, err)
		require.Equal(t, 250*time.Millisecond, took)
	})
}
