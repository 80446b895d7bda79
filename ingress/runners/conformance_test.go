package runners_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/sandboxtest"
)

// nobody is the user of the unprivileged fixture when the tests run as root.
const nobody = 65534

func TestConformance_Direct(t *testing.T) {
	t.Parallel()
	sandboxtest.Run(t, func(t *testing.T) sandboxtest.Fixture {
		s := runnerstest.NewServer(t, nil)
		return fixture(t, s, s.Direct("local", sandbox.RunnerConfig{}), runnerstest.DaemonConfig{})
	})
}

func TestConformance_ThroughAnotherProcess(t *testing.T) {
	t.Parallel()
	sandboxtest.Run(t, func(t *testing.T) sandboxtest.Fixture {
		s := runnerstest.NewServer(t, nil)
		return fixture(t, s, s.Remote("local", sandbox.RunnerConfig{}), runnerstest.DaemonConfig{})
	})
}

func TestConformance_UnprivilegedUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		return // then the other fixtures are unprivileged already
	}
	sandboxtest.Run(t, func(t *testing.T) sandboxtest.Fixture {
		s := runnerstest.NewServer(t, nil)
		dir, err := os.MkdirTemp("", "xbot-nobody-")
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
		require.NoError(t, os.Chmod(dir, 0o755))
		cfg := runnerstest.DaemonConfig{User: nobody, Workspace: filepath.Join(dir, "workspace"), State: filepath.Join(dir, "state")}
		for _, sub := range []string{cfg.Workspace, cfg.State} {
			require.NoError(t, os.Mkdir(sub, 0o700))
			require.NoError(t, os.Chown(sub, nobody, nobody))
		}
		return fixture(t, s, s.Direct("local", sandbox.RunnerConfig{}), cfg)
	})
}

func fixture(t *testing.T, s *runnerstest.Server, box *sandbox.Runner, cfg runnerstest.DaemonConfig) sandboxtest.Fixture {
	r := s.StartRunner("local", cfg)
	_, err := box.Info(t.Context())
	require.NoError(t, err)
	return sandboxtest.Fixture{
		Box:   box,
		Cut:   s.Cut,
		Kill:  r.Kill,
		Start: r.Start,
		KillShim: func(id chat.CallID) {
			pid := r.ShimPID(string(id))
			require.NotZero(t, pid, "no shim")
			require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
			require.Eventually(t, func() bool { return r.ShimPID(string(id)) == 0 }, 10*time.Second, time.Millisecond)
		},
		Wipe: func() {
			r.Stop()
			require.NoError(t, os.Rename(r.State, r.State+".old"))
			if cfg.User != 0 {
				require.NoError(t, os.Mkdir(r.State, 0o700))
				require.NoError(t, os.Chown(r.State, int(cfg.User), int(cfg.User)))
			}
			r.Start()
		},
		Alive: func(text string) bool { return runnerstest.Alive(t, text) },
	}
}

func TestAlive_SeesCommandLines(t *testing.T) {
	require.True(t, runnerstest.Alive(t, strings.Join(os.Args[:1], "")))
	require.False(t, runnerstest.Alive(t, "no-such-"+"process"))
}
