package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// changes are the calls that change a file's mode, owner, times, attributes or length. Each sets what there is, or the current time.
var changes = map[string]func(path string) error{
	"fchmod":   opened(unix.O_RDONLY, func(fd int, st unix.Stat_t) error { return unix.Fchmod(fd, st.Mode&0o7777) }),
	"fchmodat": named(func(path string, st unix.Stat_t) error { return unix.Fchmodat(unix.AT_FDCWD, path, st.Mode&0o7777, 0) }),
	"fchmodat from its folder": func(path string) error {
		return opened(unix.O_PATH, func(fd int, _ unix.Stat_t) error {
			return named(func(path string, st unix.Stat_t) error {
				return unix.Fchmodat(fd, filepath.Base(path), st.Mode&0o7777, 0)
			})(path)
		})(filepath.Dir(path))
	},
	"fchmodat2":                 named(func(path string, st unix.Stat_t) error { return fchmodat2(unix.AT_FDCWD, path, st, 0) }),
	"fchmodat2 of a descriptor": opened(unix.O_PATH, func(fd int, st unix.Stat_t) error { return fchmodat2(fd, "", st, unix.AT_EMPTY_PATH) }),
	"chmod of a descriptor": opened(unix.O_PATH, func(fd int, st unix.Stat_t) error {
		return unix.Chmod(fmt.Sprintf("/proc/self/fd/%d", fd), st.Mode&0o7777)
	}),
	"fchown": opened(unix.O_RDONLY, func(fd int, st unix.Stat_t) error { return unix.Fchown(fd, int(st.Uid), int(st.Gid)) }),
	"fchownat": named(func(path string, st unix.Stat_t) error {
		return unix.Fchownat(unix.AT_FDCWD, path, int(st.Uid), int(st.Gid), 0)
	}),
	"fchownat of a descriptor": opened(unix.O_PATH, func(fd int, st unix.Stat_t) error {
		return unix.Fchownat(fd, "", int(st.Uid), int(st.Gid), unix.AT_EMPTY_PATH)
	}),
	"utimensat": named(func(path string, _ unix.Stat_t) error { return unix.UtimesNanoAt(unix.AT_FDCWD, path, nil, 0) }),
	"utimensat without links": named(func(path string, _ unix.Stat_t) error {
		return unix.UtimesNanoAt(unix.AT_FDCWD, path, nil, unix.AT_SYMLINK_NOFOLLOW)
	}),
	"futimens": opened(unix.O_RDONLY, func(fd int, _ unix.Stat_t) error { return call(unix.SYS_UTIMENSAT, uintptr(fd), 0, 0, 0) }),
	"utimensat of a descriptor": opened(unix.O_PATH, func(fd int, _ unix.Stat_t) error {
		return unix.UtimesNanoAt(fd, "", nil, unix.AT_EMPTY_PATH)
	}),
	"setxattr":   named(func(path string, _ unix.Stat_t) error { return unix.Setxattr(path, "user.xbot", []byte("x"), 0) }),
	"lsetxattr":  named(func(path string, _ unix.Stat_t) error { return unix.Lsetxattr(path, "user.xbot", []byte("x"), 0) }),
	"fsetxattr":  opened(unix.O_RDONLY, func(fd int, _ unix.Stat_t) error { return unix.Fsetxattr(fd, "user.xbot", []byte("x"), 0) }),
	"setxattrat": named(setxattrat),
	"acl": named(func(path string, st unix.Stat_t) error {
		return unix.Setxattr(path, "system.posix_acl_access", acl(st.Mode), 0)
	}),
	"removexattr":  named(func(path string, _ unix.Stat_t) error { return removed(unix.Removexattr(path, "user.xbot")) }),
	"lremovexattr": named(func(path string, _ unix.Stat_t) error { return removed(unix.Lremovexattr(path, "user.xbot")) }),
	"fremovexattr": opened(unix.O_RDONLY, func(fd int, _ unix.Stat_t) error { return removed(unix.Fremovexattr(fd, "user.xbot")) }),
	"removexattrat": named(func(path string, _ unix.Stat_t) error {
		return removed(call(unix.SYS_REMOVEXATTRAT, at(unix.AT_FDCWD), pointer(path), 0, pointer("user.xbot")))
	}),
	"file_setattr":             named(fileSetattr),
	"flags":                    control(unix.FS_IOC_GETFLAGS, unix.FS_IOC_SETFLAGS),
	"xflags":                   control(0x801c581f, 0x401c5820), // FS_IOC_FSGETXATTR, FS_IOC_FSSETXATTR
	"version":                  control(0x80087601, 0x40087602), // FS_IOC_GETVERSION, FS_IOC_SETVERSION
	"truncate":                 named(func(path string, st unix.Stat_t) error { return unix.Truncate(path, st.Size) }),
	"open to read and cut":     func(path string) error { return opened(unix.O_RDONLY|unix.O_TRUNC, nothing)(path) },
	"open for nothing and cut": func(path string) error { return opened(unix.O_ACCMODE|unix.O_TRUNC, nothing)(path) },
	"openat2 to read and cut": func(path string) error {
		fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_RDONLY | unix.O_TRUNC})
		if err != nil {
			return err
		}
		return unix.Close(fd)
	},
}

func nothing(int, unix.Stat_t) error { return nil }

func named(change func(path string, st unix.Stat_t) error) func(path string) error {
	return func(path string) error {
		var st unix.Stat_t
		if err := unix.Stat(path, &st); err != nil {
			return err
		}
		return change(path, st)
	}
}

func opened(flags int, change func(fd int, st unix.Stat_t) error) func(path string) error {
	return func(path string) error {
		fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		var st unix.Stat_t
		return errors.Join(unix.Fstat(fd, &st), change(fd, st), unix.Close(fd))
	}
}

// control reads by one command of ioctl and sets the same by another.
func control(get, set uintptr) func(path string) error {
	return opened(unix.O_RDONLY, func(fd int, _ unix.Stat_t) error {
		var value [64]byte
		if err := call(unix.SYS_IOCTL, uintptr(fd), get, uintptr(unsafe.Pointer(&value))); err != nil {
			return err
		}
		return call(unix.SYS_IOCTL, uintptr(fd), set, uintptr(unsafe.Pointer(&value)))
	})
}

func pointer(text string) uintptr {
	p, _ := unix.BytePtrFromString(text) // nil for a text with a zero byte
	return uintptr(unsafe.Pointer(p))
}

func at(dir int) uintptr { return uintptr(dir) }

func fchmodat2(dir int, path string, st unix.Stat_t, flags uintptr) error {
	return call(unix.SYS_FCHMODAT2, at(dir), pointer(path), uintptr(st.Mode&0o7777), flags)
}

func setxattrat(path string, _ unix.Stat_t) error {
	value := []byte("x")
	arguments := struct {
		value uint64
		size  uint32
		flags uint32
	}{uint64(uintptr(unsafe.Pointer(&value[0]))), 1, 0}
	return call(unix.SYS_SETXATTRAT, at(unix.AT_FDCWD), pointer(path), 0, pointer("user.xbot"), uintptr(unsafe.Pointer(&arguments)), unsafe.Sizeof(arguments))
}

func fileSetattr(path string, _ unix.Stat_t) error {
	var attributes [24]byte
	if err := call(unix.SYS_FILE_GETATTR, at(unix.AT_FDCWD), pointer(path), uintptr(unsafe.Pointer(&attributes)), unsafe.Sizeof(attributes), 0); err != nil {
		return err
	}
	return call(unix.SYS_FILE_SETATTR, at(unix.AT_FDCWD), pointer(path), uintptr(unsafe.Pointer(&attributes)), unsafe.Sizeof(attributes), 0)
}

// removed takes the absence of an attribute for a success: it could have been removed.
func removed(err error) error {
	if errors.Is(err, unix.ENODATA) {
		return nil
	}
	return err
}

// acl returns the access control list that is equivalent to a mode.
func acl(mode uint32) []byte {
	out := binary.LittleEndian.AppendUint32(nil, 2) // its version
	for tag, shift := range []int{1: 6, 4: 3, 32: 0} {
		if tag != 1 && tag != 4 && tag != 32 {
			continue
		}
		out = binary.LittleEndian.AppendUint16(out, uint16(tag))
		out = binary.LittleEndian.AppendUint16(out, uint16(mode>>shift&7))
		out = binary.LittleEndian.AppendUint32(out, ^uint32(0))
	}
	return out
}

// raceTime bounds a race, and raceCalls the calls in it.
const (
	raceTime  = 3 * time.Second
	raceCalls = 20_000
)

// race changes the mode of the probe's own file, and has another thread put another file in its place all the time: as the target of a link, in the
// memory of the call, or as a descriptor. It succeeds when the other file was changed.
func race(args []string) error {
	how, mine, other := args[0], args[1], args[2]
	var before, after unix.Stat_t
	if err := errors.Join(os.WriteFile(mine, nil, 0o600), unix.Stat(other, &before)); err != nil {
		return err
	}
	swap, change := races[how](mine, other)
	var over atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for !over.Load() {
			swap()
		}
	}()
	for until, n := time.Now().Add(raceTime), 0; n < raceCalls && time.Now().Before(until); n++ {
		change()
	}
	over.Store(true)
	<-ended
	if err := unix.Stat(other, &after); err != nil {
		return err
	}
	if before.Ctim == after.Ctim {
		return errors.New("it was not changed")
	}
	return nil
}

// races return what is done all the time by one thread and by the other.
var races = map[string]func(mine, other string) (swap, change func()){
	"link": func(mine, other string) (swap, change func()) {
		link := mine + ".link"
		return func() {
				for _, to := range []string{mine, other} {
					_ = os.Remove(link)      // it may not be there
					_ = os.Symlink(to, link) // as above
				}
			}, func() {
				_ = unix.Fchmodat(unix.AT_FDCWD, link, 0o600, 0) // the state of the other file is the result, here and below
			}
	},
	"memory": func(mine, other string) (swap, change func()) {
		path := make([]byte, 4096)
		write := func(text string) {
			for i := range len(text) + 1 {
				if i == len(text) {
					path[i] = 0
					continue
				}
				path[i] = text[i]
			}
		}
		write(mine)
		return func() { write(other); write(mine) }, func() {
			_, _, _ = unix.Syscall(unix.SYS_FCHMODAT, at(unix.AT_FDCWD), uintptr(unsafe.Pointer(&path[0])), 0o600)
		}
	},
	"descriptor": func(mine, other string) (swap, change func()) {
		own, _ := unix.Open(mine, unix.O_RDONLY, 0) // -1 changes nothing
		foreign, _ := unix.Open(other, unix.O_RDONLY, 0)
		const moving = 100
		return func() { _ = unix.Dup3(foreign, moving, 0); _ = unix.Dup3(own, moving, 0) }, func() { _ = unix.Fchmod(moving, 0o600) }
	},
}
