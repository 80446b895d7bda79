// Package testdir says where tests keep what is written much and need not outlive them, as the data of a Postgres: in
// memory where the system offers that. A database is a thousand files, and on a disk most of the time of a test goes into
// making and removing them. For a process that is killed the two are the same: what was written is still there.
package testdir

import (
	"os"

	"golang.org/x/sys/unix"
)

const (
	shared = "/dev/shm"
	// room is what has to be free there; tests that run at once write a few hundred megabytes.
	room = 2 << 30
)

// Fast is a folder to make folders in. TMPDIR, where it is set, is the answer.
func Fast() string {
	if os.Getenv("TMPDIR") == "" && roomy(shared) && unix.Access(shared, unix.W_OK) == nil {
		return shared
	}
	return os.TempDir()
}
