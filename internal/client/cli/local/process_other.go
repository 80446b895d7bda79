//go:build !unix

package local

import (
	"os"
	"os/exec"

	"xbot/internal/fault"
)

// alive cannot check here; whether the server answers decides.
func alive(pid int) bool { return pid > 0 }

func detach(*exec.Cmd) {}

// tryLock refuses: the local stack runs on Unix only.
func tryLock(*os.File) (held bool, err error) {
	return false, fault.Errorf(fault.Invalid, "a server cannot be started on this system; give --server and --token")
}
