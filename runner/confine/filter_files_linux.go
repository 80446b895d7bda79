package confine

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// fileCalls change the mode, the owner, the times or the attributes of a file. Landlock governs none of them.
var fileCalls = []int{
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
}

// newFileCalls do the same, keep their arguments behind two pointers, and are so new that programs fall back to the calls above.
var newFileCalls = []int{unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR}

// Controls of files (ioctl). fileControlTypes are the types of commands of file systems: all and ext4 ('f'), versions ('v'), XFS ('X'), FAT ('r'),
// clones and Btrfs, Ceph, bcachefs, CIFS and F2FS. Most of them change a file, such as its flags, also by a descriptor that reads; readControls
// change nothing, or need a descriptor that writes.
var (
	fileControlTypes = []uint32{'f', 'v', 'X', 'r', 0x94, 0x97, 0xbc, 0xcf, 0xf5}
	readControls     = []uint32{
		unix.FS_IOC_GETFLAGS, fsGetXAttr, fsFieMap, fsGetVersion, unix.FICLONE, unix.FICLONERANGE, unix.FIDEDUPERANGE,
	}
)

// fsGetXAttr is FS_IOC_FSGETXATTR, fsFieMap FS_IOC_FIEMAP, and fsGetVersion FS_IOC_GETVERSION.
const fsGetXAttr, fsFieMap, fsGetVersion = 0x801c581f, 0xc020660b, 0x80087601

// noControl is the answer of a file system that does not know a command.
const noControl = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOTTY)

// changes are rules for calls that change files where no mount is read-only. The process that serves the listener carries them out.
func (r rules) changes(always func(uint32, ...int), when func(int, ...bpf.Instruction)) {
	if r.files == 0 {
		return
	}
	always(r.files, fileCalls...)
	always(r.files, fileCallsHere...)
	always(noCall, newFileCalls...)
	when(unix.SYS_IOCTL, denyControls()...)
	if !r.cuts {
		return
	}
	always(r.files, unix.SYS_TRUNCATE)
	always(noCall, unix.SYS_OPENAT2) // its flags are where a filter cannot look; programs fall back to openat
	when(unix.SYS_OPENAT, denyCuts(2)...)
	for _, n := range openCallsHere {
		when(n, denyCuts(1)...)
	}
}

// denyControls refuses the controls of file systems but readControls.
func denyControls() []bpf.Instruction {
	deny := []bpf.Instruction{bpf.ALUOpConstant{Op: bpf.ALUOpShiftRight, Val: 8}, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xff}}
	for i, kind := range fileControlTypes {
		jump := bpf.JumpIf{Cond: bpf.JumpEqual, Val: kind, SkipTrue: uint8(len(fileControlTypes) - 1 - i)}
		if i == len(fileControlTypes)-1 {
			jump.SkipFalse = 1
		}
		deny = append(deny, jump)
	}
	deny = append(deny, bpf.RetConstant{Val: noControl})
	body := []bpf.Instruction{argument(1)}
	for i, command := range readControls {
		body = append(body, bpf.JumpIf{Cond: bpf.JumpEqual, Val: command, SkipTrue: uint8(len(readControls) - 1 - i + len(deny))})
	}
	return append(body, deny...)
}

// denyCuts refuses to shorten a file by opening it for anything but writing: Landlock before version 3 sees only that it is read.
func denyCuts(flags uint32) []bpf.Instruction {
	return []bpf.Instruction{
		argument(flags), bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: unix.O_TRUNC, SkipTrue: 4},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: unix.O_ACCMODE},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.O_WRONLY, SkipTrue: 2}, bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.O_RDWR, SkipTrue: 1},
		bpf.RetConstant{Val: denyCall},
	}
}
