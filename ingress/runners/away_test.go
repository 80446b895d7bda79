package runners_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners"
	"xbot/ingress/runners/runnerstest"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/sandboxtest"
)

const awayWait = 200 * time.Millisecond

func TestAway_TheRunnerWasKilled(t *testing.T) {
	t.Parallel()
	sandboxtest.RunAway(t, func(t *testing.T) sandboxtest.Away {
		s := runnerstest.NewServer(t, nil)
		r := s.StartRunner("local", runnerstest.DaemonConfig{})
		box := s.Direct("local", sandbox.RunnerConfig{OfflineWait: awayWait})
		_, err := box.Info(t.Context())
		require.NoError(t, err)
		r.Kill()
		require.Eventually(t, func() bool { return len(s.Hub.Online()) == 0 }, patience, time.Millisecond)
		return sandboxtest.Away{Box: box, Runner: "local", Waits: awayWait}
	})
}

func TestAway_ItsHolderWasKilled(t *testing.T) {
	t.Parallel()
	sandboxtest.RunAway(t, func(t *testing.T) sandboxtest.Away {
		s := runnerstest.NewServer(t, nil)
		s.StartRunner("local", runnerstest.DaemonConfig{})
		box := s.Remote("local", sandbox.RunnerConfig{OfflineWait: awayWait})
		_, err := box.Stat(t.Context(), ".")
		require.NoError(t, err)
		s.Close()
		// Who is killed says goodbye to nobody: the table names it still.
		_, err = s.Registry.Connected(t.Context(), runners.Connection{ID: "local", Holder: s.URL()})
		require.NoError(t, err)
		_, err = box.Stat(t.Context(), ".") // goes the way that was found before; from here on no connection is left that breaks
		require.EqualError(t, err, (&sandbox.OfflineError{Runner: "local", Waited: awayWait}).Error())
		return sandboxtest.Away{Box: box, Runner: "local", Waits: awayWait}
	})
}
