package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// without executes a program as on a kernel that lacks something, named in a list with commas: "namespaces" or "landlock".
// The switch is in the kernel, for the program and all it starts: the program under test has none.
func without(args []string) error {
	if len(args) < 2 {
		return errors.New("it is called without LIST PROGRAM and arguments")
	}
	program := []bpf.Instruction{bpf.LoadAbsolute{Off: 0, Size: 4}}
	deny := func(number int, errno unix.Errno) {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(number), SkipFalse: 1}, bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)})
	}
	lacks := strings.Split(args[0], ",")
	if slices.Contains(lacks, "landlock") {
		deny(unix.SYS_LANDLOCK_CREATE_RULESET, unix.EOPNOTSUPP)
	}
	if slices.Contains(lacks, "namespaces") {
		deny(unix.SYS_CLONE3, unix.ENOSYS)
		for _, number := range []uint32{unix.SYS_CLONE, unix.SYS_UNSHARE} {
			program = append(program,
				bpf.JumpIf{Cond: bpf.JumpEqual, Val: number, SkipFalse: 4}, bpf.LoadAbsolute{Off: 16, Size: 4},
				bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWIPC, SkipTrue: 1},
				bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}, bpf.LoadAbsolute{Off: 0, Size: 4})
		}
	}
	if err := install(append(program, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})); err != nil {
		return err
	}
	path, err := exec.LookPath(args[1])
	if err != nil {
		return err
	}
	return syscall.Exec(path, args[1:], os.Environ())
}

func install(program []bpf.Instruction) error {
	raw, err := bpf.Assemble(program)
	if err != nil {
		return err
	}
	code := make([]unix.SockFilter, len(raw))
	for i, in := range raw {
		code[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		return fmt.Errorf("filter system calls: %w", errno)
	}
	return nil
}
