// Package dirtest says where tests keep what is written much and need not outlive them, as the data of a Postgres: in
// memory where the system offers that. A database is a thousand files, and on a disk most of the time of a test goes into
// making and removing them. For a process that is killed the two are the same: what was written is still there.
package dirtest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const (
	shared = "/dev/shm"
	// room is what has to be free there; tests that run at once write a few hundred megabytes.
	room = 2 << 30
)

// Fast returns a folder to make folders in. TMPDIR, where it is set, is the answer.
func Fast() string {
	if os.Getenv("TMPDIR") == "" && roomy(shared) && unix.Access(shared, unix.W_OK) == nil {
		return shared
	}
	return os.TempDir()
}

// New makes a folder in Fast that is removed with the test. Its name is short: sockets have room in it.
func New(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(Fast(), "xt")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}
