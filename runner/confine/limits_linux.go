package confine

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// oomScore makes the kernel end commands before any other process of xbot when memory runs out (0 to 1000).
const oomScore = 500

// oomFile is where a process sets its priority for being killed when memory is short.
const oomFile = "/proc/self/oom_score_adj"

// firstToGo makes this process the first to be ended when memory runs out. It does what it can: where the score cannot be
// set, the kernel chooses by size alone.
func firstToGo() {
	old, err := os.ReadFile(oomFile)
	score, convErr := strconv.Atoi(strings.TrimSpace(string(old)))
	if err == nil && convErr == nil && score < oomScore {
		_ = os.WriteFile(oomFile, []byte(strconv.Itoa(oomScore)), 0) // see above
	}
}

// each calls set with every limit: the system's number for it, the bound, and whether 0 means none.
func (l Limits) each(set func(resource int, limit uint64) error) error {
	errs := []error{set(unix.RLIMIT_CORE, l.Core)}
	for resource, limit := range map[int]uint64{
		unix.RLIMIT_NOFILE: l.Files, unix.RLIMIT_NPROC: l.Processes, unix.RLIMIT_FSIZE: l.FileSize, unix.RLIMIT_DATA: l.Memory,
	} {
		if limit > 0 {
			errs = append(errs, set(resource, limit))
		}
	}
	return errors.Join(errs...)
}

// lower takes a limit down, never up.
func lower(old unix.Rlimit, limit uint64) unix.Rlimit {
	return unix.Rlimit{Cur: min(old.Cur, limit), Max: min(old.Max, limit)}
}

// limitSelf sets the limits of this process, which is about to become the command.
func (l Limits) limitSelf() error {
	return l.each(func(resource int, limit uint64) error {
		var old unix.Rlimit
		if err := unix.Getrlimit(resource, &old); err != nil {
			return os.NewSyscallError("getrlimit", err)
		}
		now := lower(old, limit)
		return os.NewSyscallError("setrlimit", unix.Setrlimit(resource, &now))
	})
}

// fork starts a program with limits. They belong to a process, and this one must not have them: so the program is
// stopped at its first instruction, as debuggers do it, to set them from outside. The calling goroutine keeps its thread.
func (l Limits) fork(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	attr.Sys.Ptrace = true
	pid, err = syscall.ForkExec(path, argv, attr)
	traced := err == nil
	if errors.Is(err, syscall.EPERM) { // tracing is forbidden here, or this process is traced itself
		attr.Sys.Ptrace = false
		pid, err = syscall.ForkExec(path, argv, attr)
	}
	if err != nil {
		return 0, err
	}
	if traced {
		err = awaitStop(pid)
	}
	if err == nil {
		err = l.limitOther(pid)
	}
	if err == nil && traced {
		err = os.NewSyscallError("ptrace", syscall.PtraceDetach(pid))
	}
	if err != nil {
		_ = unix.Kill(pid, unix.SIGKILL)    // nothing of the command was executed
		_, _ = unix.Wait4(pid, nil, 0, nil) // its end is of no interest
		return 0, fmt.Errorf("limit it: %w", err)
	}
	return pid, nil
}

func awaitStop(pid int) error {
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(pid, &status, unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return os.NewSyscallError("wait4", err)
		case status.Stopped():
			return nil
		default:
			return errors.New("it ended before it began")
		}
	}
}

func (l Limits) limitOther(pid int) error {
	return l.each(func(resource int, limit uint64) error {
		var old unix.Rlimit
		if err := unix.Prlimit(pid, resource, nil, &old); err != nil {
			return os.NewSyscallError("prlimit", err)
		}
		now := lower(old, limit)
		return os.NewSyscallError("prlimit", unix.Prlimit(pid, resource, &now, nil))
	})
}
