package main

import (
	"errors"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// common are attempts at what the kernel shares among all processes of a user.
var common = map[string]func(args []string) error{
	"unshare":   func(args []string) error { return unshare(args[0]) },
	"clone3":    clone3,
	"keyring":   func([]string) error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true); return err },
	"addkey":    addKey,
	"shm":       shm,
	"unshm":     func(args []string) error { return shmStat(pid(args[0])) },
	"userfault": func([]string) error { return opens(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|1) },
	"uring":     uring,
	"fanotify": func([]string) error {
		return opens(unix.SYS_FANOTIFY_INIT, unix.FAN_CLASS_NOTIF|unix.FAN_REPORT_FID, 0)
	},
	"descriptors": descriptors,
	"seccomp":     seccomp,
}

func unshare(what string) error {
	flags := map[string]int{
		"user": unix.CLONE_NEWUSER, "mount": unix.CLONE_NEWNS, "pid": unix.CLONE_NEWPID, "net": unix.CLONE_NEWNET, "ipc": unix.CLONE_NEWIPC,
		"uts": unix.CLONE_NEWUTS, "cgroup": unix.CLONE_NEWCGROUP, "time": unix.CLONE_NEWTIME,
	}
	if what == "user" {
		return userns(nil) // a thread of many may not
	}
	return unix.Unshare(flags[what])
}

// clone3 uses invalid arguments: a kernel or filter without the call fails in another way.
func clone3([]string) error {
	err := call(unix.SYS_CLONE3, 0, 0)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EFAULT) {
		return nil
	}
	return err
}

func addKey([]string) error {
	_, err := unix.AddKey("user", "xbot-escape", []byte("x"), unix.KEY_SPEC_USER_KEYRING)
	return err
}

// shm attaches a segment of shared memory.
func shm(args []string) error {
	data, err := unix.SysvShmAttach(pid(args[0]), 0, 0)
	if err != nil {
		return err
	}
	return unix.SysvShmDetach(data)
}

// shmStat asks for what those who may remove a segment may ask for.
func shmStat(id int) error {
	var desc unix.SysvShmDesc
	_, err := unix.SysvShmCtl(id, unix.IPC_STAT, &desc)
	return err
}

func opens(number uintptr, args ...uintptr) error {
	var a [3]uintptr
	copy(a[:], args)
	fd, _, errno := unix.Syscall(number, a[0], a[1], a[2])
	if errno != 0 {
		return errno
	}
	return unix.Close(int(fd))
}

func uring([]string) error {
	var params [120]byte
	return opens(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)))
}

// descriptors finds one that this process did not open itself.
func descriptors([]string) error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || fd <= 2 {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			return nil // files that this program opens are closed when it executes another
		}
	}
	return errors.New("none came along")
}

// seccomp succeeds where no filter holds this process.
func seccomp([]string) error {
	mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	if err == nil && mode != 0 {
		err = errors.New("a filter holds it")
	}
	return err
}
