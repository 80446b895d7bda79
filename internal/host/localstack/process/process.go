// Package process starts server processes that outlive a crash of their owner, and finds them again afterwards.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pollInterval is how often a process is looked at on systems that cannot announce its end.
const pollInterval = 50 * time.Millisecond

// Process is a running server: a child of this process, or one that an earlier owner left behind.
type Process struct {
	PID int

	handle *os.Process
	done   chan struct{}
	mu     sync.Mutex
	err    error
}

// Start starts cmd in a new session, so that a Ctrl-C meant for the owner does not reach it. With a follow
// signal, the kernel sends that signal when the owner dies; only Linux can, elsewhere follow has no effect.
func Start(cmd *exec.Cmd, follow syscall.Signal) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
	if err := startFollowing(cmd, follow); err != nil {
		return nil, err
	}
	p := &Process{PID: cmd.Process.Pid, handle: cmd.Process, done: make(chan struct{})}
	go func() {
		p.end(cmd.Wait())
	}()
	return p, nil
}

// Adopt takes over a process that is not a child. Its exit status stays unknown.
// The caller checks what the process is after Adopt, not before: from then on the number cannot go to another one.
func Adopt(pid int) (*Process, error) {
	handle, err := os.FindProcess(pid)
	if err != nil {
		return nil, fmt.Errorf("find process %d: %w", pid, err)
	}
	if err := handle.Signal(syscall.Signal(0)); err != nil {
		return nil, fmt.Errorf("find process %d: %w", pid, err)
	}
	p := &Process{PID: pid, handle: handle, done: make(chan struct{})}
	go func() {
		awaitExit(handle)
		p.end(nil)
	}()
	return p, nil
}

func (p *Process) end(err error) {
	p.mu.Lock()
	p.err = err
	p.mu.Unlock()
	close(p.done)
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns how the process ended: nil while it runs, after exit code 0, and for adopted processes.
func (p *Process) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// EndError is the end of a server before it was ready.
type EndError struct {
	// Reason is a sentence.
	Reason string
	// Failed reports whether the server exited with an exit code. Otherwise a signal ended it, or it is not known how it ended.
	Failed bool
}

// Error returns the sentence.
func (e *EndError) Error() string { return e.Reason }

// EndedStarting returns the error of a process that exited before it was ready. server is its name, and reason is the cause from its log. The reason
// is ignored after a signal, which the log does not contain.
func (p *Process) EndedStarting(server, reason string) error {
	exit, ok := errors.AsType[*exec.ExitError](p.Err())
	switch {
	case ok && exit.Exited():
		return &EndError{Reason: "the " + server + " server did not start: " + reason, Failed: true}
	case ok:
		return &EndError{Reason: fmt.Sprintf("the %s server was ended while it started (%s)", server, exit)}
	}
	return &EndError{Reason: "the " + server + " server ended while it started"}
}

// Signal sends sig. A process that has ended already is no error.
func (p *Process) Signal(sig syscall.Signal) error {
	err := p.handle.Signal(sig)
	if errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("send %s to process %d: %w", sig, p.PID, err)
	}
	return nil
}

// Wake resumes a process that was suspended, as by SIGSTOP or a debugger: it holds its locks and ports, but does not respond. It has no effect
// on a running process.
func (p *Process) Wake() error { return p.Signal(syscall.SIGCONT) }

// Step is one attempt at ending a process: a signal and the time it is given.
type Step struct {
	Signal syscall.Signal
	Wait   time.Duration
}

// Stop works through the steps until the process has ended; when ctx ends, or the steps do, SIGKILL follows.
func (p *Process) Stop(ctx context.Context, steps ...Step) error {
	for _, step := range steps {
		if ctx.Err() != nil {
			break
		}
		if err := p.Signal(step.Signal); err != nil {
			return err
		}
		select {
		case <-p.done:
			return nil
		case <-time.After(step.Wait):
		case <-ctx.Done():
		}
	}
	if err := p.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(5 * time.Second):
		return fmt.Errorf("process %d is still there after SIGKILL; it hangs in the kernel, so check the disk it writes to", p.PID)
	}
}

// awaitExit returns once the process has ended.
func awaitExit(handle *os.Process) {
	err := handle.WithHandle(func(fd uintptr) {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for {
			if _, err := unix.Poll(fds, -1); !errors.Is(err, unix.EINTR) {
				return
			}
		}
	})
	if err == nil {
		return
	}
	for handle.Signal(syscall.Signal(0)) == nil {
		time.Sleep(pollInterval) //nolint:forbidigo // this system tells of no end, it has to be asked
	}
}
