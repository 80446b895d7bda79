package runnerstest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/sandbox"
	"xbot/internal/testing/programtest"
)

// image is the variable that names an image of a running engine for tests: scripts/test-image makes one.
const image = "XBOT_TEST_IMAGE"

// Image returns the image for tests of containers. Without one the test is skipped, or fails with REQUIRE_DOCKER=1.
func Image(t testing.TB) string {
	t.Helper()
	name := os.Getenv(image)
	if name == "" {
		const why = "DOCKER TESTS DO NOT RUN: " + image + " is not set; start a Docker engine and run `export " + image + "=$(scripts/test-image)`"
		require.NotEqual(t, "1", os.Getenv("REQUIRE_DOCKER"), why)
		t.Skip(why)
	}
	return name
}

var lastContainer atomic.Int64

// Container is a relay process and the container it keeps.
type Container struct {
	*Runner
	t    testing.TB
	Name string
}

// StartContainer starts a relay with a separate container and waits until it is connected. The container is removed
// after the test.
func (s *Server) StartContainer(id sandbox.RunnerID, cfg DaemonConfig) *Container {
	s.t.Helper()
	c := &Container{t: s.t, Name: fmt.Sprintf("xbot-test-%d-%d", os.Getpid(), lastContainer.Add(1))}
	if cfg.Workspace == "" {
		cfg.Workspace = filepath.Join(s.t.TempDir(), "workspace") // the relay makes it, for the container's user
	}
	cfg.Args = append([]string{"--mode", "docker", "--image", Image(s.t), "--container", c.Name, "--container-program", programtest.Path(s.t, "xbot-runner")}, cfg.Args...)
	cfg.Env = append(cfg.Env, "DOCKER_HOST="+os.Getenv("DOCKER_HOST"))
	s.t.Cleanup(func() { Docker(s.t, "rm", "--force", c.Name) })
	c.Runner = s.StartRunner(id, cfg)
	return c
}

// Docker runs a command of the engine that must succeed, and returns its output without the last line break.
func Docker(t testing.TB, args ...string) string {
	t.Helper()
	out, err := exec.Command("docker", args...).CombinedOutput()
	require.NoError(t, err, "docker %s: %s", strings.Join(args, " "), out)
	return strings.TrimRight(string(out), "\n")
}

// PID finds a process in the container by parts of its command line; 0 if there is none. It is the id on this machine.
func (c *Container) PID(parts ...string) int {
	c.t.Helper()
	out, err := exec.Command("docker", "top", c.Name, "-eo", "pid,args").Output()
	if err != nil {
		return 0 // it does not run
	}
	for line := range strings.Lines(string(out)) {
		if containsAll(line, parts) {
			return atoi(strings.Fields(line)[0])
		}
	}
	return 0
}

// Running reports whether the container runs.
func (c *Container) Running() bool {
	c.t.Helper()
	return Docker(c.t, "container", "inspect", "--format", "{{.State.Running}}", c.Name) == "true"
}

// KillInside kills a process in the container at once and waits until it is gone.
func (c *Container) KillInside(parts ...string) {
	c.t.Helper()
	pid := c.PID(parts...)
	require.NotZero(c.t, pid, "no process with %q in its command line", parts)
	require.NoError(c.t, syscall.Kill(pid, syscall.SIGKILL))
	c.untilGone(parts...)
}

// Kill kills the relay and the daemon inside at once; commands continue.
func (c *Container) Kill() {
	c.t.Helper()
	c.Runner.Kill()
	if pid := c.PID("xbot-runner inside"); pid != 0 {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have noticed that the relay is gone
	}
	c.untilGone("xbot-runner inside")
}

func (c *Container) untilGone(parts ...string) {
	c.t.Helper()
	require.Eventually(c.t, func() bool { return c.PID(parts...) == 0 }, 20*time.Second, 10*time.Millisecond, "%q does not go", parts)
}

// EmptyStore removes the content of the job store; the daemon inside must not run.
func (c *Container) EmptyStore() {
	c.t.Helper()
	store, aside := filepath.Join(c.State, "store"), filepath.Join(c.State, "aside")
	require.NoError(c.t, os.Mkdir(aside, 0o700))
	entries, err := os.ReadDir(store)
	require.NoError(c.t, err)
	for _, entry := range entries {
		require.NoError(c.t, os.Rename(filepath.Join(store, entry.Name()), filepath.Join(aside, entry.Name())))
	}
}
