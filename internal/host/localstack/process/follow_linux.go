package process

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// The kernel ties a parent-death signal to the thread that forked, not to the process. So all following children are
// started by one goroutine that keeps its thread until the process ends.
var (
	forker   = make(chan forkRequest)
	forkOnce sync.Once
)

type forkRequest struct {
	cmd    *exec.Cmd
	result chan error
}

func startFollowing(cmd *exec.Cmd, follow syscall.Signal) error {
	if follow == 0 {
		return cmd.Start()
	}
	cmd.SysProcAttr.Pdeathsig = follow
	forkOnce.Do(func() {
		go func() {
			runtime.LockOSThread()
			for request := range forker {
				request.result <- request.cmd.Start()
			}
		}()
	})
	request := forkRequest{cmd: cmd, result: make(chan error, 1)}
	forker <- request
	return <-request.result
}
