package e2e

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// startLimit bounds the start of a process: the first one makes databases and schemas.
const startLimit = 90 * time.Second

// stopLimit bounds a stop: as long as systemd waits for xbot (TimeoutStopSec in deploy/systemd/xbot.service). It usually takes one or two seconds.
const stopLimit = 30 * time.Second

// process is one of our binaries, started as an operator would.
type process struct {
	t    *testing.T
	name string
	via  []string // command that executes the binary; nil executes it directly
	args []string
	env  []string
	as   *syscall.Credential // nil: as this user
	bin  string              // folder of the binary
	cmd  *exec.Cmd
	out  *output
	done chan struct{}
}

// output collects what a process prints.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

func newProcess(t *testing.T, name string, env []string, args ...string) *process {
	p := &process{t: t, name: name, args: args, env: env, bin: binaries(t)}
	t.Cleanup(p.stop)
	return p
}

func (p *process) start() {
	p.t.Helper()
	p.out = &output{}
	line := slices.Concat(p.via, []string{filepath.Join(p.bin, p.name)}, p.args)
	p.cmd = exec.Command(line[0], line[1:]...)
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, p.env...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: p.as}
	require.NoError(p.t, p.cmd.Start())
	p.done = make(chan struct{})
	cmd, done := p.cmd, p.done
	go func() { _ = cmd.Wait(); close(done) }() // how it ended is seen by those who ended it
}

func (p *process) running() bool {
	if p.cmd == nil {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// kill ends the process with SIGKILL, and it alone.
func (p *process) kill() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Kill())
	<-p.done
}

// stop ends the process as Ctrl-C does and waits for all it started.
func (p *process) stop() {
	if !p.running() {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may be ending already
	select {
	case <-p.done:
	case <-time.After(stopLimit):
		_ = p.cmd.Process.Signal(syscall.SIGQUIT) // the runtime prints all goroutines
		select {
		case <-p.done:
		case <-time.After(10 * time.Second):
			_ = p.cmd.Process.Kill() // it may be ending already
			<-p.done
		}
		p.t.Errorf("%s did not stop; it printed:\n%s", p.name, p.out)
	}
}

// find returns the pids of processes whose arguments hold all the given texts.
func find(t *testing.T, texts ...string) []int {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	var pids []int
next:
	for _, path := range entries {
		line, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		args := strings.ReplaceAll(string(line), "\x00", " ")
		for _, text := range texts {
			if !strings.Contains(args, text) {
				continue next
			}
		}
		pid, err := strconv.Atoi(strings.Split(path, "/")[2])
		require.NoError(t, err)
		if pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// children returns the pids of the direct children of a process whose arguments hold a text.
func children(t *testing.T, parent int, text string) []int {
	t.Helper()
	var out []int
	for _, pid := range find(t, text) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if fields[1] == strconv.Itoa(parent) {
			out = append(out, pid)
		}
	}
	return out
}

// signal sends a signal to a process that must be there.
func signal(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); !errors.Is(err, syscall.ESRCH) {
		require.NoError(t, err)
	}
}
