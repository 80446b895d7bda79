package runnerstest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// engineFolder is the variable that names the folder of an engine that tests may kill: scripts/try-containers starts one there.
const engineFolder = "XBOT_TEST_ENGINE"

// Engine is a Docker engine that a test may kill.
type Engine struct {
	t   testing.TB
	dir string
}

// HasOwnEngine reports whether there is an engine that tests may kill.
func HasOwnEngine() bool { return os.Getenv(engineFolder) != "" }

// OwnEngine returns the engine that tests may kill. Without one the test is skipped.
func OwnEngine(t testing.TB) *Engine {
	t.Helper()
	if !HasOwnEngine() {
		t.Skip("scripts/try-containers runs it, with an engine that may be killed")
	}
	return &Engine{t: t, dir: os.Getenv(engineFolder)}
}

// End sends the engine a signal and waits until it has ended. Containers continue after a SIGKILL.
func (e *Engine) End(signal syscall.Signal) {
	e.t.Helper()
	file := filepath.Join(e.dir, "pid")
	text, err := os.ReadFile(file)
	require.NoError(e.t, err)
	pid := atoi(strings.TrimSpace(string(text)))
	require.NoError(e.t, syscall.Kill(pid, signal))
	require.Eventually(e.t, func() bool {
		_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // it may be a child of this process
		state, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(text)), "stat"))
		return err != nil || strings.Contains(string(state), ") Z ") // a zombie of another process
	}, time.Minute, 10*time.Millisecond, "the engine does not end")
	_ = os.Remove(file) // with one of a killed engine the next one does not start
}

// Start starts the engine with more flags of dockerd, and waits until it answers. It outlives the test.
func (e *Engine) Start(flags ...string) {
	e.t.Helper()
	log, err := os.OpenFile(filepath.Join(e.dir, "dockerd.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(e.t, err)
	defer log.Close()
	cmd := exec.Command("dockerd", append([]string{"--config-file", filepath.Join(e.dir, "daemon.json")}, flags...)...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	require.NoError(e.t, cmd.Start())
	require.Eventually(e.t, func() bool { return exec.Command("docker", "version").Run() == nil }, time.Minute, 100*time.Millisecond, "the engine does not answer")
}
