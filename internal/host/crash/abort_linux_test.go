package crash_test

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// abort ends the process as the C library does when it cannot make a thread.
func abort() {
	runtime.LockOSThread()
	_ = unix.Tgkill(unix.Getpid(), unix.Gettid(), unix.SIGABRT)
	select {}
}
