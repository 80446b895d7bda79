package confine

import "golang.org/x/sys/unix"

// nativeArch is the only kind of program that runs: others number their calls in other ways.
const nativeArch = unix.AUDIT_ARCH_X86_64

// forbiddenHere are calls of this architecture alone.
var forbiddenHere = []int{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_CREATE_MODULE, unix.SYS_USELIB}
