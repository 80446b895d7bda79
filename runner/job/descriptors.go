package job

import "golang.org/x/sys/unix"

// mostInherited bounds the descriptors looked at where the system has no call for all of them.
const mostInherited = 1024

// SealDescriptors keeps every descriptor but the standard three from programs that this process starts. What a
// careless parent left open would otherwise reach the commands, and stay open as long as they run.
func SealDescriptors() {
	if sealAll() {
		return
	}
	for fd := 3; fd < mostInherited; fd++ {
		_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFD, unix.FD_CLOEXEC) // most are not open
	}
}
