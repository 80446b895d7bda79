package runnerstest

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/runner/cli"
	"xbot/runner/confine"
)

// asRunner makes a test binary behave as xbot-runner.
const asRunner = "XBOT_TEST_AS_RUNNER"

// binary names a real xbot-runner to use instead of the test binary; for benchmarks, where its size matters.
const binary = "XBOT_RUNNER_BIN"

// Main is the TestMain of packages that start daemons: the test binary serves as xbot-runner and as its shims, so that
// tests run the code that was compiled, with the race detector where it is on. It also looks for goroutines that were
// left behind. Parallel tests are two for each processor, unless -parallel is set: they wait for other processes more
// than they compute.
func Main(m *testing.M) {
	if os.Getenv(asRunner) != "" || confine.IsVerb(os.Args) || cli.IsShim(os.Args) || cli.IsBridge(os.Args) {
		syscall.Exit(cli.Main(os.Args, "test")) // os.Exit takes a second where the race detector is on
	}
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		if err := parallel.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0))); err != nil {
			panic(err) // it is a number
		}
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("xbot/internal/testing/pgtest.startWatchdog.func1")) // the server of the tests outlives them
}

// Daemon is a real xbot-runner process.
type Daemon struct {
	t         testing.TB
	Workspace string
	State     string
	args      []string
	env       []string
	user      uint32 // to run as; 0 is the user of the test

	mu     sync.Mutex
	cmd    *exec.Cmd
	exited chan error
	log    bytes.Buffer
}

// DaemonConfig configures a daemon. The zero value of a field means a temporary folder or nothing.
type DaemonConfig struct {
	Server    string
	Token     string
	Workspace string
	State     string
	Args      []string // more flags
	Env       []string // more variables of the daemon's own environment
	User      uint32   // to run as, which only root may choose; Workspace and State must be theirs
}

// NewDaemon prepares a daemon that is not started yet. Its processes are gone after the test.
func NewDaemon(t testing.TB, cfg DaemonConfig) *Daemon {
	t.Helper()
	d := &Daemon{t: t, Workspace: cfg.Workspace, State: cfg.State, user: cfg.User}
	if d.Workspace == "" {
		d.Workspace = t.TempDir()
	}
	if d.State == "" {
		d.State = filepath.Join(t.TempDir(), "state")
	}
	d.args = append([]string{"--server", cfg.Server, "--workspace", d.Workspace, "--state", d.State}, cfg.Args...)
	d.env = append([]string{
		asRunner + "=1", "XBOT_RUNNER_TOKEN=" + cfg.Token,
		"PATH=" + os.Getenv("PATH"), "HOME=" + d.Workspace, "XBOT_HOME=" + filepath.Join(filepath.Dir(d.Workspace), "xbot-home"), "LANG=C.UTF-8",
	}, cfg.Env...)
	t.Cleanup(d.cleanup)
	return d
}

// Start starts the process; a stopped or killed daemon may be started again.
func (d *Daemon) Start() {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	require.Nil(d.t, d.cmd, "the daemon runs already")
	program := os.Getenv(binary)
	if program == "" {
		var err error
		program, err = os.Executable()
		require.NoError(d.t, err)
	}
	cmd := exec.Command(program, d.args...)
	cmd.Env = d.env
	cmd.Stderr = writerFunc(d.write)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if d.user != 0 {
		cmd.Path = d.readable(program)
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: d.user, Gid: d.user}
	}
	require.NoError(d.t, cmd.Start())
	d.cmd, d.exited = cmd, make(chan error, 1)
	go func() { d.exited <- cmd.Wait() }()
}

// readable links or copies the program to where another user may execute it.
func (d *Daemon) readable(program string) string {
	path := filepath.Join(filepath.Dir(d.State), "program")
	if os.Link(program, path) == nil || fileExists(path) {
		return path
	}
	data, err := os.ReadFile(program)
	require.NoError(d.t, err)
	require.NoError(d.t, os.WriteFile(path, data, 0o755))
	return path
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func (d *Daemon) write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.Write(p)
}

// Log returns the standard error of the daemon.
func (d *Daemon) Log() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.String()
}

// PID returns the daemon's process id.
func (d *Daemon) PID() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cmd.Process.Pid
}

// Kill kills the daemon at once.
func (d *Daemon) Kill() { d.end(syscall.SIGKILL) }

// Stop asks the daemon to stop and waits until it has.
func (d *Daemon) Stop() { d.end(syscall.SIGTERM) }

func (d *Daemon) end(sig syscall.Signal) {
	d.t.Helper()
	d.mu.Lock()
	cmd, exited := d.cmd, d.exited
	d.cmd = nil
	d.mu.Unlock()
	if cmd == nil {
		return
	}
	require.NoError(d.t, cmd.Process.Signal(sig))
	select {
	case <-exited: //nolint:errcheck // a signal ends it, so it has no good exit code
	case <-time.After(20 * time.Second):
		require.Fail(d.t, "the daemon did not end", d.Log())
	}
}

// ShimPID finds the shim of a job by its command line; 0 if there is none. Name is a part of the job's folder name.
func (d *Daemon) ShimPID(name string) int {
	return findProcess("xbot-runner\x00shim\x00"+d.State, name)
}

// cleanup ends the daemon and then every shim it left, with what runs under it.
func (d *Daemon) cleanup() {
	d.end(syscall.SIGTERM)
	require.Eventually(d.t, func() bool {
		pid := d.ShimPID("")
		if pid != 0 {
			_ = syscall.Kill(pid, syscall.SIGTERM) // it may have just ended
		}
		return pid == 0
	}, 20*time.Second, 20*time.Millisecond, "a shim does not end")
	if d.t.Failed() {
		d.t.Logf("log of the daemon:\n%s", d.Log())
	}
}

// findProcess looks for a process by parts of its command line.
func findProcess(parts ...string) int {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return 0
	}
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && containsAll(string(line), parts) {
			return atoi(filepath.Base(filepath.Dir(file)))
		}
	}
	return 0
}

func containsAll(s string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(s, part) {
			return false
		}
	}
	return true
}

func atoi(s string) int {
	n := 0
	for _, c := range s {
		n = 10*n + int(c-'0')
	}
	return n
}

// Alive reports whether a process has the text in its command line. Zombies have no command line.
func Alive(t testing.TB, text string) bool {
	t.Helper()
	return findProcess(text) != 0
}

// AddArgs adds flags for the next start; of one that is given twice the later counts.
func (d *Daemon) AddArgs(args ...string) { d.args = append(d.args, args...) }
