package main

import (
	"maps"
	"unsafe"

	"golang.org/x/sys/unix"
)

// init adds the calls of this architecture.
func init() {
	maps.Copy(changes, map[string]func(path string) error{
		"chmod": named(func(path string, st unix.Stat_t) error {
			return call(unix.SYS_CHMOD, pointer(path), uintptr(st.Mode&0o7777))
		}),
		"chown": named(func(path string, st unix.Stat_t) error {
			return call(unix.SYS_CHOWN, pointer(path), uintptr(st.Uid), uintptr(st.Gid))
		}),
		"lchown": named(func(path string, st unix.Stat_t) error {
			return call(unix.SYS_LCHOWN, pointer(path), uintptr(st.Uid), uintptr(st.Gid))
		}),
		"utime": named(func(path string, _ unix.Stat_t) error { return call(unix.SYS_UTIME, pointer(path), 0) }),
		"utimes": named(func(path string, st unix.Stat_t) error {
			times := [2]unix.Timeval{{Sec: st.Atim.Sec}, {Sec: st.Mtim.Sec}}
			return call(unix.SYS_UTIMES, pointer(path), uintptr(unsafe.Pointer(&times)))
		}),
		"futimesat": named(func(path string, _ unix.Stat_t) error {
			return call(unix.SYS_FUTIMESAT, at(unix.AT_FDCWD), pointer(path), 0)
		}),
	})
}
