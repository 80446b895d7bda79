package runners_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/runners/runnerstest"
	"xbot/internal/chat"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/sandboxtest"
)

func TestConformance_Docker(t *testing.T) {
	t.Parallel()
	runnerstest.Image(t)
	sandboxtest.Run(t, func(t *testing.T) sandboxtest.Fixture {
		s := runnerstest.NewServer(t, nil)
		return dockerFixture(t, s, s.Direct("docker", sandbox.RunnerConfig{}))
	})
}

func dockerFixture(t *testing.T, s *runnerstest.Server, box *sandbox.Runner) sandboxtest.Fixture {
	c := s.StartContainer("docker", runnerstest.DaemonConfig{})
	info, err := box.Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, "docker", info.Kind)
	return sandboxtest.Fixture{
		Box:      box,
		Cut:      s.Cut,
		Kill:     c.Kill,
		Start:    c.Start,
		KillShim: func(id chat.CallID) { c.KillInside("xbot-runner shim", string(id)) },
		Wipe: func() {
			c.Stop()
			c.EmptyStore()
			c.Start()
		},
		Alive: func(text string) bool { return c.PID(text) != 0 },
	}
}
