package confine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets of the data that a filter judges: struct seccomp_data, little-endian on both architectures.
const (
	dataNumber = 0
	dataArch   = 4
	dataArgs   = 16
)

// Results of a filter.
const (
	allowCall = unix.SECCOMP_RET_ALLOW
	denyCall  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	noCall    = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	killCall  = unix.SECCOMP_RET_KILL_PROCESS
	askCall   = unix.SECCOMP_RET_USER_NOTIF
)

// newNamespaces are the flags by which clone and unshare separate a process from others: in a new user namespace it would have every capability over
// parts of the kernel that are rarely used and often broken.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// Kinds of targets of setpriority and ioprio_set.
const (
	prioProcess, prioGroup     = unix.PRIO_PROCESS, unix.PRIO_PGRP
	ioprioProcess, ioprioGroup = 1, 2
)

// lastCall is the number of the newest call that testdata/calls.txt decides about. Newer ones do not exist for a command.
const lastCall = unix.SYS_RSEQ_SLICE_YIELD

// socketType is the part of the type of a socket that is no flag.
const socketType = 0xf

// forbidden are calls that no command needs: most of them ask for capabilities that it does not have, and the rest reach
// what is common to all processes of the user, such as key rings.
var forbidden = []int{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_FSOPEN, unix.SYS_FSCONFIG,
	unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_SETNS, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE,
	unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL,
	unix.SYS_QUOTACTL_FD, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SYSLOG,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_VHANGUP, unix.SYS_PROCESS_MRELEASE,
}

// lookingInto are calls that look into other processes. A Landlock domain holds them to the command's own, which debuggers need; without a domain
// they are denied.
var lookingInto = []int{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
}

// systemV are the calls of older ways to share memory and to send messages, whose objects have no folder to hide: they are common to a user's
// processes, Postgres among them, where there is no namespace for them.
var systemV = []int{
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
	unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
}

// rules are the properties of a sandbox that decide the contents of its filter.
type rules struct {
	asks   bool   // a listener decides about calls that name other processes
	inside bool   // Landlock keeps the command from looking into other processes
	scoped bool   // Landlock limits its signals to its own processes
	off    bool   // no network: only connected pairs of sockets
	shares bool   // System V IPC is allowed: the command has a separate IPC namespace, or a mount hides other programs
	files  uint32 // result of calls that change files; 0: allowed, because mounts are read-only
	cuts   bool   // Landlock of this kernel does not restrict calls that truncate files
}

// filterCalls puts the calling thread, and what it becomes, behind a filter of system calls. A listener goes to who is
// waiting for one.
func (p *plan) filterCalls(o order) error {
	abi := landlockABI()
	r := rules{
		asks: o.Listen, inside: abi >= abiRefer, scoped: abi >= abiScope, shares: p.ipc || o.Method != Landlock, off: p.off,
		cuts: abi < abiTruncate,
	}
	if o.Method == Landlock {
		r.files = askCall
	}
	if r.asks || r.files == askCall {
		listener, err := install(r.filter(), unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
		if errors.Is(err, unix.EINVAL) { // before Linux 5.19
			listener, err = install(r.filter(), unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
		}
		if err == nil {
			return p.sendListener(listener)
		}
		if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EBUSY) { // before Linux 5.0, or another listener is there
			return err
		}
		r = r.unheard()
	}
	_, err := install(r.filter(), 0)
	return err
}

// unheard returns the rules for a filter without a listener.
func (r rules) unheard() rules {
	r.asks = false
	if r.files == askCall {
		r.files = denyCall
	}
	return r
}

// install needs to have given up new privileges.
func install(program []bpf.Instruction, flags uintptr) (listener int, err error) {
	raw, err := bpf.Assemble(program)
	if err != nil {
		return -1, fmt.Errorf("assemble the filter of system calls: %w", err)
	}
	code := make([]unix.SockFilter, len(raw))
	for i, in := range raw {
		code[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	got, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(code)
	if errno != 0 {
		return -1, fmt.Errorf("filter system calls: %w", os.NewSyscallError("seccomp", errno))
	}
	return int(got), nil
}

// filter returns the program. Each rule leaves the number of the call where the next one finds it.
func (r rules) filter() []bpf.Instruction {
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: dataArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: nativeArch, SkipTrue: 1},
		bpf.RetConstant{Val: killCall},
		bpf.LoadAbsolute{Off: dataNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: lastCall, SkipFalse: 1},
		bpf.RetConstant{Val: noCall},
	}
	always := func(answer uint32, numbers ...int) {
		for _, n := range numbers {
			program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(n), SkipFalse: 1}, bpf.RetConstant{Val: answer})
		}
	}
	when := func(number int, body ...bpf.Instruction) {
		body = append(body, bpf.LoadAbsolute{Off: dataNumber, Size: 4})
		program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(number), SkipFalse: uint8(len(body))})
		program = append(program, body...)
	}
	always(denyCall, forbidden...)
	always(denyCall, forbiddenHere...)
	always(noCall, unix.SYS_CLONE3) // its flags are where a filter cannot look; all programs fall back to clone
	if !r.inside {
		always(denyCall, lookingInto...)
	}
	if r.off {
		always(denyCall, unix.SYS_SOCKET)
		// Sockets of pairs speak to each other alone, but for datagrams, which are sent to any address.
		when(unix.SYS_SOCKETPAIR, argument(1), bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: socketType},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_STREAM, SkipTrue: 2}, bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_SEQPACKET, SkipTrue: 1},
			bpf.RetConstant{Val: denyCall})
	}
	if !r.shares {
		always(denyCall, systemV...)
	}
	when(unix.SYS_CLONE, ifAny(0, newNamespaces, denyCall)...)
	when(unix.SYS_UNSHARE, ifAny(0, newNamespaces|unix.CLONE_NEWTIME, denyCall)...)
	when(unix.SYS_PRCTL, denyIf(0, unix.PR_SCHED_CORE)...)
	for _, command := range []uint32{unix.TIOCSTI, unix.TIOCLINUX} { // what types on a terminal
		when(unix.SYS_IOCTL, denyIf(1, command)...)
	}
	r.limits(when)
	r.owners(when)
	r.signals(always, when)
	r.changes(always, when)
	return append(program, bpf.RetConstant{Val: allowCall})
}

// limits are rules for calls that set limits, priorities and processors of a process, which may be another's.
func (r rules) limits(when func(int, ...bpf.Instruction)) {
	others := uint32(denyCall)
	if r.asks {
		others = askCall
	}
	// A pointer to a new limit that is not nil, at the third place, and a process that is not oneself.
	when(unix.SYS_PRLIMIT64, append([]bpf.Instruction{
		argument(2), bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 2},
		upper(2), bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 3},
	}, ifNotZero(0, others)...)...)
	for _, n := range []int{unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR} {
		when(n, ifNotZero(0, others)...)
	}
	for n, kinds := range map[int][2]uint32{unix.SYS_SETPRIORITY: {prioProcess, prioGroup}, unix.SYS_IOPRIO_SET: {ioprioProcess, ioprioGroup}} {
		when(n, append([]bpf.Instruction{argument(0), bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: kinds[0], SkipTrue: 3}}, ifNotZero(1, others)...)...)
		when(n, append([]bpf.Instruction{argument(0), bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: kinds[1], SkipTrue: 3}}, ifNotZero(1, denyCall)...)...)
		when(n, argument(0), bpf.JumpIf{Cond: bpf.JumpLessOrEqual, Val: kinds[1], SkipTrue: 1}, bpf.RetConstant{Val: denyCall}) // all of a user
	}
	for _, n := range []int{unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES} {
		when(n, ifNotZero(0, denyCall)...)
	}
}

// owners are rules for calls that name the process that gets a signal when something happens on a descriptor. Landlock holds these signals, too,
// where it holds any. A process behind a pointer cannot be judged.
func (r rules) owners(when func(int, ...bpf.Instruction)) {
	if r.scoped {
		return
	}
	others := uint32(denyCall)
	if r.asks {
		others = askCall
	}
	when(unix.SYS_FCNTL, append([]bpf.Instruction{argument(1), bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.F_SETOWN, SkipTrue: 3}}, ifNotZero(2, others)...)...)
	when(unix.SYS_FCNTL, denyIf(1, unix.F_SETOWN_EX)...)
	for _, command := range []uint32{fioSetOwn, siocSetGroup} {
		when(unix.SYS_IOCTL, denyIf(1, command)...)
	}
}

// fioSetOwn is FIOSETOWN, and siocSetGroup SIOCSPGRP: other names of F_SETOWN for sockets.
const fioSetOwn, siocSetGroup = 0x8901, 0x8902

// signals are rules for what Landlock lets pass or cannot hold on this kernel. The signal by which Go's runtime wakes its threads is harmless, and is
// sent too often to ask.
func (r rules) signals(always func(uint32, ...int), when func(int, ...bpf.Instruction)) {
	if !r.asks {
		return
	}
	// A process, or a group that is named: neither 0, the own group, nor -1, all processes.
	when(unix.SYS_KILL, argument(0),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 2}, bpf.JumpIf{Cond: bpf.JumpEqual, Val: ^uint32(0), SkipTrue: 1}, bpf.RetConstant{Val: askCall})
	if r.scoped {
		return
	}
	when(unix.SYS_KILL, denyIf(0, ^uint32(0))...)
	when(unix.SYS_TGKILL, argument(2), bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(unix.SIGURG), SkipTrue: 1}, bpf.RetConstant{Val: askCall})
	always(askCall, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO)
	always(noCall, unix.SYS_PIDFD_SEND_SIGNAL) // the process of a descriptor cannot be known; all programs fall back to kill
}

// argument loads the lower half of an argument, which is all of it where a call takes a number of 32 bits.
func argument(i uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: dataArgs + 8*i, Size: 4} }

func upper(i uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: dataArgs + 8*i + 4, Size: 4} }

// ifAny, denyIf and ifNotZero answer if an argument is so, and are three instructions long.
func ifAny(i, bits, answer uint32) []bpf.Instruction {
	return []bpf.Instruction{argument(i), bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: bits, SkipTrue: 1}, bpf.RetConstant{Val: answer}}
}

func denyIf(i, value uint32) []bpf.Instruction {
	return []bpf.Instruction{argument(i), bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: value, SkipTrue: 1}, bpf.RetConstant{Val: denyCall}}
}

func ifNotZero(i, answer uint32) []bpf.Instruction {
	return []bpf.Instruction{argument(i), bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, bpf.RetConstant{Val: answer}}
}
