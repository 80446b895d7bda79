package job

import (
	"os"

	"golang.org/x/sys/unix"
)

// bootID returns an id that changes when the machine restarts.
func bootID() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }

// selfPath returns the running program.
func selfPath() (string, error) { return os.Executable() }
