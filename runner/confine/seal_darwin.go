package confine

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Seal limits this process: from then on it opens no files and no sockets, since no descriptor number is free, writes no files, and uses no more CPU
// time than the bounds. Open descriptors stay open. This system has no limit of private memory.
func Seal(b Bounds) error {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return os.NewSyscallError("getrusage", err)
	}
	for resource, limit := range map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: 0, unix.RLIMIT_NOFILE: 3, unix.RLIMIT_CPU: uint64(used.Utime.Sec+used.Stime.Sec) + 1 + b.CPU,
	} {
		var old syscall.Rlimit
		if err := syscall.Getrlimit(resource, &old); err != nil {
			return os.NewSyscallError("getrlimit", err)
		}
		now := syscall.Rlimit{Cur: min(old.Cur, limit), Max: min(old.Max, limit)}
		if err := syscall.Setrlimit(resource, &now); err != nil {
			return fmt.Errorf("limit resource %d: %w", resource, os.NewSyscallError("setrlimit", err))
		}
	}
	return nil
}

// HasFilters reports whether the kernel has filters of system calls.
func HasFilters() bool { return false }
