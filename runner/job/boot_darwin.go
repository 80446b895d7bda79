package job

import (
	"os"

	"golang.org/x/sys/unix"
)

// bootID changes when the machine starts anew.
func bootID() (string, error) { return unix.Sysctl("kern.bootsessionuuid") }

// selfPath is the running program.
func selfPath() (string, error) { return os.Executable() }
