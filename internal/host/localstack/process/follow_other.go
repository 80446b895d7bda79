//go:build !linux

package process

import (
	"os/exec"
	"syscall"
)

// startFollowing starts cmd. There is no parent-death signal here; the next start finds what was left behind.
func startFollowing(cmd *exec.Cmd, _ syscall.Signal) error { return cmd.Start() }
