package confine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// firstOfAll is the oom_score_adj of a sealed process: the kernel kills it before any other.
const firstOfAll = 1000

// Seal confines this process to computing on its open descriptors. From then on it opens no files and no sockets, starts no programs, reaches no
// other process, and uses no more than the bounds. The limits hold on every kernel; Landlock and the seccomp filter hold if the kernel has them.
func Seal(b Bounds) error {
	_ = os.WriteFile(oomFile, []byte(strconv.Itoa(firstOfAll)), 0) // if it cannot be set, the kernel chooses by size
	if err := sealFiles(); err != nil {                            // it needs a descriptor
		return err
	}
	if err := b.limit(); err != nil {
		return err
	}
	return sealCalls()
}

// limit sets the limits. Without a free descriptor number nothing can be opened, with or without Landlock.
func (b Bounds) limit() error {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return os.NewSyscallError("getrusage", err)
	}
	limits := map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: 0, unix.RLIMIT_NOFILE: 3, unix.RLIMIT_CPU: uint64(used.Utime.Sec+used.Stime.Sec) + 1 + b.CPU,
	}
	if b.Memory > 0 {
		limits[unix.RLIMIT_DATA] = b.Memory
	}
	for resource, limit := range limits {
		var old unix.Rlimit
		if err := unix.Getrlimit(resource, &old); err != nil {
			return os.NewSyscallError("getrlimit", err)
		}
		now := lower(old, limit)
		if err := unix.Setrlimit(resource, &now); err != nil {
			return os.NewSyscallError("setrlimit", err)
		}
	}
	return nil
}

// sealFiles puts all threads into a Landlock domain that grants nothing. In a program with C code it cannot reach all threads: then the filter and
// the limits have to suffice.
func sealFiles() error {
	abi := landlockABI()
	if abi < abiRefer {
		return nil
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: known(readRights|writeRights, abi)}
	size := unsafe.Offsetof(attr.Handled_access_net)
	if abi >= abiNetwork {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size = unsafe.Offsetof(attr.Scoped)
	}
	if abi >= abiScope {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		size = unsafe.Offsetof(attr.Quiet_access_fs)
	}
	r, err := newRuleset(attr, size)
	if err != nil {
		return err
	}
	defer r.close()
	_, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	if errno == 0 {
		_, _, errno = syscall.AllThreadsSyscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(r.fd), 0, 0)
	}
	if errno != 0 && errno != unix.ENOTSUP {
		return fmt.Errorf("enter the Landlock domain: %w", errno)
	}
	return nil
}

// sealCalls installs a seccomp filter in all threads that allows only sealedCalls.
func sealCalls() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	odd, err := install(sealedFilter(), unix.SECCOMP_FILTER_FLAG_TSYNC)
	switch {
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM), errors.Is(err, unix.EINVAL) && !HasFilters():
		return nil // the kernel has no filters, or the container engine allows none
	case err == nil && odd != 0:
		return fmt.Errorf("filter system calls: the thread %d cannot be reached", odd)
	}
	return err
}

// HasFilters reports whether the kernel has filters of system calls. Without them Seal only limits resources.
func HasFilters() bool {
	action := uint32(unix.SECCOMP_RET_ALLOW)
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return errno == 0
}

// sealedCalls are the calls that the Go runtime and the C library need for memory, threads and time, and for open descriptors.
var sealedCalls = []int{
	unix.SYS_READ, unix.SYS_READV, unix.SYS_PREAD64, unix.SYS_WRITE, unix.SYS_WRITEV, unix.SYS_CLOSE, unix.SYS_FSTAT, unix.SYS_LSEEK, unix.SYS_FCNTL,
	unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE, unix.SYS_MINCORE, unix.SYS_BRK,
	unix.SYS_FUTEX, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_SET_TID_ADDRESS, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_MEMBARRIER,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_RESTART_SYSCALL,
	unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_GETTIMEOFDAY, unix.SYS_SETITIMER,
	unix.SYS_TIMER_CREATE, unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_DELETE,
	unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_CTL, unix.SYS_PPOLL, unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETRANDOM, unix.SYS_GETRUSAGE,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}

// sealedFilter refuses every other call, clone for anything but a thread, and tgkill for other processes: the runtime uses it to wake its threads.
func sealedFilter() []bpf.Instruction {
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: dataArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: nativeArch, SkipTrue: 1},
		bpf.RetConstant{Val: killCall},
		bpf.LoadAbsolute{Off: dataNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_CLONE3, SkipFalse: 1},
		bpf.RetConstant{Val: noCall}, // a filter cannot read its flags; callers fall back to clone
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_CLONE, SkipFalse: 4},
		argument(0),
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.CLONE_THREAD, SkipTrue: 1},
		bpf.RetConstant{Val: denyCall},
		bpf.RetConstant{Val: allowCall},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_TGKILL, SkipFalse: 4},
		argument(0),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(os.Getpid()), SkipTrue: 1},
		bpf.RetConstant{Val: denyCall},
		bpf.RetConstant{Val: allowCall},
	}
	for _, n := range sealedCalls {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(n), SkipFalse: 1}, bpf.RetConstant{Val: allowCall})
	}
	return append(program, bpf.RetConstant{Val: denyCall})
}
