package shim_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/runner/confine"
	"xbot/runner/job"
	"xbot/runner/wire"
)

// asRoot skips a test of what only root can do.
func asRoot(t *testing.T, what string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("NOT RUN: only root " + what)
	}
}

func (b *bench) startWith(spec job.Spec) *job.Job {
	b.Helper()
	spec.ID, spec.Hash, spec.Timeout = "a", job.HashOf(spec.Command, ""), time.Minute
	spec.Env = []string{"PATH=" + os.Getenv("PATH")}
	j, err := b.store.Attach(spec)
	require.NoError(b.T, err)
	return j
}

func TestShim_KeepsFreeSpaceOnADisk(t *testing.T) {
	asRoot(t, "can mount a small file system to fill")
	disk := t.TempDir()
	require.NoError(t, syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64m"))
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(disk, syscall.MNT_DETACH)) })

	t.Run("a command that fills it is ended, and told why", func(t *testing.T) {
		b := setup(t, t.TempDir())
		j := b.startWith(job.Spec{Command: "head -c 60M /dev/zero >filler; sleep 600", Dir: disk, KeepFree: 1 << 30})
		status := b.end(j)
		require.Equal(t, wire.StateKilled, status.State)
		require.Contains(t, status.Note, "the disk of "+disk+" is nearly full")
	})
	t.Run("a command on a full one may make room", func(t *testing.T) {
		require.FileExists(t, filepath.Join(disk, "filler"))
		b := setup(t, t.TempDir())
		j := b.startWith(job.Spec{Command: "sleep 1.5; rm filler", Dir: disk, KeepFree: 1 << 30}) // the guard looks once before
		status := b.end(j)
		require.Equal(t, wire.StateExited, status.State)
		require.Zero(t, status.Code)
	})
}

func TestShim_CountsTheProcessesOfRoot(t *testing.T) {
	asRoot(t, "is not held to the limit by the kernel")
	b := setup(t, t.TempDir())
	j := b.startWith(job.Spec{
		Command: "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 600 & done; wait", Dir: "/",
		Policy: confine.Policy{Limits: confine.Limits{Processes: 8}},
	})
	status := b.end(j)
	require.Equal(t, wire.StateKilled, status.State)
	require.Contains(t, status.Note, "8 are allowed")
}
