package confine

import "golang.org/x/sys/unix"

// nativeArch is the only kind of program that runs: others number their calls in other ways.
const nativeArch = unix.AUDIT_ARCH_AARCH64

// forbiddenHere are calls of this architecture alone.
var forbiddenHere = []int{unix.SYS_LOOKUP_DCOOKIE}
