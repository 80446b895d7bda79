package confine

import "golang.org/x/sys/unix"

// nativeArch is the only kind of program that runs: others number their calls in other ways.
const nativeArch = unix.AUDIT_ARCH_AARCH64

// Calls of this architecture alone: forbidden, those that change files, and those that open one with flags at their second place.
var (
	forbiddenHere                = []int{unix.SYS_LOOKUP_DCOOKIE}
	fileCallsHere, openCallsHere []int
)

// changeHere reads the arguments of fileCallsHere.
func (c *fileCall) changeHere() (fileName, change, error) { return fileName{}, nil, unix.ENOSYS }
