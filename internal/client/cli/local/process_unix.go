//go:build unix

package local

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// alive reports whether a process exists, of any user.
func alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// detach starts a command in a new session, so that closing the terminal does not end it.
func detach(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// tryLock takes the lock of a file until the file is closed; held is false when another process has it.
func tryLock(file *os.File) (held bool, err error) {
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}
