package confine

import "golang.org/x/sys/unix"

// nativeArch is the only kind of program that runs: others number their calls in other ways.
const nativeArch = unix.AUDIT_ARCH_X86_64

// Calls of this architecture alone: forbidden, those that change files, and those that open one with flags at their second place.
var (
	forbiddenHere = []int{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_CREATE_MODULE, unix.SYS_USELIB}
	fileCallsHere = []int{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
	openCallsHere = []int{unix.SYS_OPEN}
)

// changeHere reads the arguments of fileCallsHere.
func (c *fileCall) changeHere() (fileName, change, error) {
	a := c.args
	switch c.number {
	case unix.SYS_CHMOD:
		return fileName{dir: cwd, path: a[0]}, chmod(a[1]), nil
	case unix.SYS_CHOWN:
		return fileName{dir: cwd, path: a[0]}, chown(a[1], a[2]), nil
	case unix.SYS_LCHOWN:
		return fileName{dir: cwd, path: a[0], flags: unix.AT_SYMLINK_NOFOLLOW}, chown(a[1], a[2]), nil
	case unix.SYS_UTIME:
		do, err := c.times(a[1], seconds)
		return fileName{dir: cwd, path: a[0]}, do, err
	case unix.SYS_UTIMES:
		do, err := c.times(a[1], microseconds)
		return fileName{dir: cwd, path: a[0]}, do, err
	case unix.SYS_FUTIMESAT:
		do, err := c.times(a[2], microseconds)
		return fileName{dir: int(int32(a[0])), path: a[1], bare: true}, do, err
	}
	return fileName{}, nil, unix.ENOSYS
}
