package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// others are attempts at a process or thread of another owner. None changes anything where it succeeds: what is set is what
// there was, and signals are number 0, but for those of descriptors.
var others = map[string]func(thread int) error{
	"ptrace":   ptrace,
	"vmread":   vmread,
	"getfd":    getfd,
	"kill":     func(id int) error { return unix.Kill(id, 0) },
	"group":    func(id int) error { return unix.Kill(-id, 0) },
	"tkill":    func(id int) error { return call(unix.SYS_TKILL, uintptr(id), 0) },
	"tgkill":   tgkill,
	"queue":    func(id int) error { return queue(unix.SYS_RT_SIGQUEUEINFO, uintptr(id)) },
	"tgqueue":  func(id int) error { return queue(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(processOf(id)), uintptr(id)) },
	"pidfd":    pidfdSignal,
	"prlimit":  prlimit,
	"affinity": affinity,
	"scheduler": func(id int) error {
		return call(unix.SYS_SCHED_SETSCHEDULER, uintptr(id), 0, uintptr(unsafe.Pointer(new(int32))))
	},
	"param": func(id int) error {
		return call(unix.SYS_SCHED_SETPARAM, uintptr(id), uintptr(unsafe.Pointer(new(int32))))
	},
	"attr":   schedAttr,
	"nice":   nice,
	"ionice": ionice,
	"core": func(id int) error {
		return unix.Prctl(unix.PR_SCHED_CORE, unix.PR_SCHED_CORE_SHARE_TO, uintptr(id), 0, 0)
	},
	"kcmp":      func(id int) error { return call(unix.SYS_KCMP, uintptr(id), uintptr(id), 0, 0, 0) },
	"pages":     func(id int) error { return call(unix.SYS_MOVE_PAGES, uintptr(id), 0, 0, 0, 0, 0) },
	"robust":    robustList,
	"perf":      perf,
	"mem":       func(id int) error { return openFile(id, "mem", unix.O_RDWR) },
	"memread":   func(id int) error { return openFile(id, "mem", unix.O_RDONLY) },
	"environ":   func(id int) error { return readFile(id, "environ") },
	"maps":      func(id int) error { return readFile(id, "maps") },
	"auxv":      func(id int) error { return readFile(id, "auxv") },
	"stack":     func(id int) error { return readFile(id, "stack") },
	"syscall":   func(id int) error { return readFile(id, "syscall") },
	"cwd":       func(id int) error { return openFile(id, "cwd", unix.O_PATH) },
	"root":      func(id int) error { return openFile(id, "root", unix.O_PATH) },
	"exe":       func(id int) error { return openFile(id, "exe", unix.O_RDONLY) },
	"fd":        func(id int) error { return openFile(id, "fd/1", unix.O_PATH) },
	"fdinfo":    func(id int) error { return readFile(id, "fdinfo/1") },
	"mapfiles":  mapFiles,
	"ns":        func(id int) error { return openFile(id, "ns/mnt", unix.O_RDONLY) },
	"oom":       func(id int) error { return openFile(id, "oom_score_adj", unix.O_WRONLY) },
	"refs":      func(id int) error { return openFile(id, "clear_refs", unix.O_WRONLY) },
	"name":      func(id int) error { return openFile(id, "comm", unix.O_WRONLY) },
	"coredump":  func(id int) error { return openFile(id, "coredump_filter", unix.O_WRONLY) },
	"autogroup": func(id int) error { return openFile(id, "autogroup", unix.O_WRONLY) },
	"setown": func(id int) error {
		return owns(id, func(fd int) error { _, err := unix.FcntlInt(uintptr(fd), unix.F_SETOWN, id); return err })
	},
	"setownex": func(id int) error {
		owner := [2]int32{1, int32(id)} // F_OWNER_PID
		return owns(id, func(fd int) error {
			return call(unix.SYS_FCNTL, uintptr(fd), unix.F_SETOWN_EX, uintptr(unsafe.Pointer(&owner)))
		})
	},
	"fiosetown": func(id int) error {
		return owns(id, func(fd int) error { return unix.IoctlSetPointerInt(fd, 0x8901, id) })
	},
	"siocspgrp": func(id int) error {
		return owns(id, func(fd int) error { return unix.IoctlSetPointerInt(fd, 0x8902, id) })
	},
}

// other makes one attempt at one process, or at all of its threads.
func other(args []string) error { return anyThread(pid(args[1]), others[args[0]]) }

// each makes one attempt at each thread of every process that can be seen, except those of the own session, which are the
// command's.
func each(args []string) error {
	attempt := others[args[0]]
	if attempt == nil {
		return fmt.Errorf("no attempt is named %s of %v", args[0], maps.Keys(others))
	}
	own, err := unix.Getsid(0)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	tried := 0
	for _, entry := range entries {
		id, err := strconv.Atoi(entry.Name())
		if err != nil || isKernels(id) {
			continue
		}
		if session, err := unix.Getsid(id); err != nil || (session == own && id != own) {
			continue // of the shim's session only the shim belongs to another owner
		}
		tried++
		if anyThread(id, attempt) == nil {
			return nil
		}
	}
	return fmt.Errorf("none of %d processes", tried)
}

// isKernels reports whether a process is a thread of the kernel, which has no arguments.
func isKernels(id int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", id))
	return err != nil || len(data) == 0
}

func call(number uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

func processOf(thread int) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", thread))
	if err != nil {
		return thread
	}
	_, rest, _ := strings.Cut(string(data), "\nTgid:")
	var id int
	if _, err := fmt.Sscan(rest, &id); err != nil {
		return thread
	}
	return id
}

func tgkill(thread int) error { return unix.Tgkill(processOf(thread), thread, 0) }

// queue sends signal 0 with the information that comes with one.
func queue(number uintptr, ids ...uintptr) error {
	info := [16]uint64{0, 0xffffffff} // SI_QUEUE
	return call(number, append(ids, 0, uintptr(unsafe.Pointer(&info)))...)
}

func pidfdSignal(id int) error {
	fd, err := unix.PidfdOpen(processOf(id), 0)
	if err != nil {
		return err
	}
	return errors.Join(unix.PidfdSendSignal(fd, 0, nil, 0), unix.Close(fd))
}

func prlimit(id int) error {
	var limit unix.Rlimit
	if err := unix.Prlimit(id, unix.RLIMIT_NOFILE, nil, &limit); err != nil {
		return err
	}
	return unix.Prlimit(id, unix.RLIMIT_NOFILE, &limit, nil)
}

func affinity(id int) error {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(id, &set); err != nil {
		return err
	}
	return unix.SchedSetaffinity(id, &set)
}

func schedAttr(id int) error {
	attr, err := unix.SchedGetAttr(id, 0)
	if err != nil {
		return err
	}
	return unix.SchedSetAttr(id, attr, 0)
}

func nice(id int) error {
	const twenty = 20 // the call answers 20 less the priority
	got, err := unix.Getpriority(unix.PRIO_PROCESS, id)
	if err != nil {
		return err
	}
	return unix.Setpriority(unix.PRIO_PROCESS, id, twenty-got)
}

func ionice(id int) error {
	const process = 1
	got, _, errno := unix.Syscall(unix.SYS_IOPRIO_GET, process, uintptr(id), 0)
	if errno != 0 {
		return errno
	}
	return call(unix.SYS_IOPRIO_SET, process, uintptr(id), got)
}

func robustList(id int) error {
	var head, size uintptr
	return call(unix.SYS_GET_ROBUST_LIST, uintptr(id), uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&size)))
}

func perf(id int) error {
	attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_TASK_CLOCK, Bits: unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv}
	attr.Size = uint32(unsafe.Sizeof(attr))
	fd, err := unix.PerfEventOpen(&attr, id, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func openFile(id int, name string, flags int) error {
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/%s", id, name), flags|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func readFile(id int, name string) error {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", id, name))
	if err == nil && len(data) == 0 {
		err = errors.New("it is empty")
	}
	return err
}

func mapFiles(id int) error {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/map_files", id))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if openFile(id, "map_files/"+entry.Name(), unix.O_RDONLY) == nil {
			return nil
		}
	}
	return errors.New("none can be opened")
}

// owns makes a process the owner of a socket, writes to it, and succeeds when the process, which blocks all signals, has got one.
func owns(id int, set func(fd int) error) error {
	before, err := pending(id)
	if err != nil {
		return err
	}
	const first, last = 34, 64 // real-time signals
	signal := first
	for signal <= last && before&(1<<(signal-1)) != 0 {
		signal++
	}
	if signal > last {
		return errors.New("all signals are pending")
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	if _, err := unix.FcntlInt(uintptr(fds[0]), unix.F_SETSIG, signal); err != nil {
		return err
	}
	if err := set(fds[0]); err != nil {
		return err
	}
	if _, err := unix.FcntlInt(uintptr(fds[0]), unix.F_SETFL, unix.O_ASYNC|unix.O_NONBLOCK); err != nil {
		return err
	}
	if _, err := unix.Write(fds[1], []byte("x")); err != nil {
		return err
	}
	after, err := pending(id) // the signal is sent by the call that writes
	if err == nil && after&(1<<(signal-1)) == 0 {
		err = errors.New("the signal did not arrive")
	}
	return err
}

// pending returns the signals that a process blocks and has got.
func pending(id int) (signals uint64, err error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", id))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(data), "\nShdPnd:")
	_, err = fmt.Sscanf(strings.TrimSpace(rest), "%x", &signals)
	return signals, err
}
