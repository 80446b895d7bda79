package shim_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/runner/cli"
	"xbot/runner/confine"
	"xbot/runner/job"
	"xbot/runner/wire"
)

// TestMain lets the test binary be the shim of the jobs that tests start.
func TestMain(m *testing.M) {
	if confine.IsVerb(os.Args) || (len(os.Args) == 3 && os.Args[1] == "shim") {
		syscall.Exit(cli.Main(os.Args, "test")) // os.Exit takes a second where the race detector is on
	}
	goleak.VerifyTestMain(m)
}

const patience = 30 * time.Second

// bench is a store with one job.
type bench struct {
	*testing.T
	store *job.Store
	dir   string // of the store
}

func setup(t *testing.T, dir string) *bench {
	t.Helper()
	store, err := job.Open(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return &bench{T: t, store: store, dir: dir}
}

func (b *bench) start(command string) *job.Job {
	b.Helper()
	j, err := b.store.Attach(job.Spec{
		ID: "a", Hash: job.HashOf(command, ""), Command: command, Dir: "/",
		Env: []string{"PATH=" + os.Getenv("PATH")}, Timeout: time.Minute,
	})
	require.NoError(b.T, err)
	return j
}

func (b *bench) end(j *job.Job) job.Status {
	b.Helper()
	select {
	case <-j.Done():
	case <-time.After(patience):
		require.Fail(b.T, "the job does not end")
	}
	status, _, err := j.End()
	require.NoError(b.T, err)
	return status
}

func (b *bench) output(j *job.Job) string {
	b.Helper()
	f, err := j.OpenOutput()
	require.NoError(b.T, err)
	if f == nil {
		return ""
	}
	defer f.Close()
	var buf bytes.Buffer
	_, err = buf.ReadFrom(f)
	require.NoError(b.T, err)
	return buf.String()
}

// waitOutput waits until the command has printed the text, and returns all it printed.
func (b *bench) waitOutput(j *job.Job, text string) string {
	b.Helper()
	deadline := time.After(patience)
	for {
		changed := j.Changed()
		if got := b.output(j); strings.Contains(got, text) {
			return got
		}
		select {
		case <-changed:
		case <-deadline:
			require.Fail(b.T, "no output came", "waiting for %q", text)
		}
	}
}

func (b *bench) eventually(claim func() bool, message string) {
	b.Helper()
	require.Eventually(b.T, claim, patience, 5*time.Millisecond, message)
}

func alive(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(data), ") Z ")
}

func (b *bench) pid(text string) int {
	b.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(text))
	require.NoError(b.T, err)
	return pid
}

func TestShim_GivesTheCommandAProcessGroupInItsSession(t *testing.T) {
	b := setup(t, t.TempDir())
	j := b.start(`ps -o pid=,ppid=,pgid=,sid= -p $$`)
	b.end(j)
	fields := strings.Fields(b.output(j))
	require.Len(t, fields, 4)
	pid, shimPID, group, session := fields[0], fields[1], fields[2], fields[3]
	require.Equal(t, pid, group, "the command leads a group of its own")
	require.Equal(t, shimPID, session, "the session is the shim's")
}

func TestShim_LeaksNoDescriptors(t *testing.T) {
	b := setup(t, t.TempDir())
	j := b.start(`exec ls /proc/self/fd`)
	b.end(j)
	require.Equal(t, "0\n1\n2\n3\n", b.output(j), "3 is the listing itself")
}

func TestShim_TakesSIGTERMAsAKill(t *testing.T) {
	b := setup(t, t.TempDir())
	j := b.start(`echo $PPID; sleep 60`)
	shimPID := b.pid(b.waitOutput(j, "\n"))
	require.NoError(t, syscall.Kill(shimPID, syscall.SIGTERM))
	status := b.end(j)
	require.Equal(t, wire.StateKilled, status.State)
	require.Contains(t, status.Note, "signal")
}

func TestShim_WakesAStoppedCommandToKillIt(t *testing.T) {
	b := setup(t, t.TempDir())
	j := b.start(`echo $$; kill -STOP $$; echo never`)
	pid := b.pid(b.waitOutput(j, "\n"))
	require.NoError(t, b.store.Kill("a"))
	require.Equal(t, wire.StateKilled, b.end(j).State)
	require.False(t, alive(pid))
}

func TestShim_StaysForBackgroundOutputUntilItIsKilled(t *testing.T) {
	b := setup(t, t.TempDir())
	j := b.start(`sleep 600 & echo $! $PPID`)
	require.Equal(t, wire.StateExited, b.end(j).State)
	fields := strings.Fields(b.output(j))
	child, shimPID := b.pid(fields[0]), b.pid(fields[1])
	require.True(t, alive(child))
	require.True(t, alive(shimPID))
	require.NoError(t, b.store.Kill("a"))
	b.eventually(func() bool { return !alive(child) && !alive(shimPID) }, "a kill after the end ends what is left")
	status, _, _ := j.End()
	require.Equal(t, wire.StateExited, status.State, "the end that was reported stands")
}

func TestShim_LeavesWhenBackgroundOutputIsClosed(t *testing.T) {
	b := setup(t, t.TempDir())
	j := b.start(`sleep 600 >/dev/null 2>&1 & echo $! $PPID`)
	b.end(j)
	fields := strings.Fields(b.output(j))
	child, shimPID := b.pid(fields[0]), b.pid(fields[1])
	b.eventually(func() bool { return !alive(shimPID) }, "the shim has nothing to stay for")
	require.True(t, alive(child), "a background process is left alone")
	require.NoError(t, syscall.Kill(child, syscall.SIGKILL))
}

func TestShim_ItsDeathKillsTheShell(t *testing.T) {
	b := setup(t, t.TempDir())
	j := b.start(`echo $$ $PPID; while :; do sleep 1; done`)
	fields := strings.Fields(b.waitOutput(j, "\n"))
	shell, shimPID := b.pid(fields[0]), b.pid(fields[1])
	require.NoError(t, syscall.Kill(shimPID, syscall.SIGKILL))
	require.Equal(t, wire.StateLost, b.end(j).State)
	b.eventually(func() bool { return !alive(shell) }, "the shell lingers")
}

func TestShim_IsNotStartedByHand(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	for _, name := range []string{job.LockFile, job.CommandFile} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600))
	}
	out, err := exec.Command(exe, "shim", dir).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "is started by xbot-runner only")
	require.False(t, job.Exists(dir, job.StartedFile))
}

// smallDisk mounts an empty file system of 256 KiB. Tests do not share one: a shim that ends keeps files open that
// were removed, and gives their room back only then.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"))
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// TestShim_ADiskThatFillsUp needs a small file system, which only root can make.
func TestShim_ADiskThatFillsUp(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("NOT RUN: only root can mount a small file system to fill")
	}
	t.Run("while a command runs costs output only", func(t *testing.T) {
		b := setup(t, smallDisk(t))
		j := b.start("echo begin; head -c 1000000 /dev/zero | tr '\\0' x; echo end")
		status := b.end(j)
		require.Equal(t, wire.StateExited, status.State)
		require.Zero(t, status.Code, "the command does not notice")
		require.EqualValues(t, 1000000+6+4, status.Total)
		require.Less(t, status.Kept, int64(256<<10))
		require.Contains(t, status.Note, "disk")
		require.True(t, strings.HasPrefix(b.output(j), "begin\n"))
		require.NoError(t, b.store.Release("a"))
	})
	t.Run("before a command starts keeps it from starting", func(t *testing.T) {
		dir := smallDisk(t)
		b := setup(t, dir)
		mark := filepath.Join(t.TempDir(), "ran")
		require.NoError(t, os.WriteFile(filepath.Join(dir, "filler"), nil, 0o600))
		filler, err := os.OpenFile(filepath.Join(dir, "filler"), os.O_WRONLY, 0)
		require.NoError(t, err)
		for buf := make([]byte, 4096); err == nil; {
			_, err = filler.Write(buf)
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.NoError(t, filler.Close())
		_, err = b.store.Attach(job.Spec{ID: "b", Command: "touch " + mark, Dir: "/", Timeout: time.Minute})
		require.Error(t, err)
		require.Equal(t, wire.Unavailable, wire.AsError(err).Kind)
		require.ErrorContains(t, err, "no space left")
		require.NoFileExists(t, mark)

		require.NoError(t, os.Remove(filepath.Join(dir, "filler")))
		j, err := b.store.Attach(job.Spec{ID: "b", Command: "touch " + mark, Dir: "/", Timeout: time.Minute, Env: []string{"PATH=" + os.Getenv("PATH")}})
		require.NoError(t, err)
		require.Zero(t, b.end(j).Code)
		require.FileExists(t, mark)
	})
}
