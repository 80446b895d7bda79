package confine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// files carries out calls that change modes, owners, times, attributes and lengths of files, for commands whose sandbox is Landlock alone: it
// governs none of these calls. No argument of a call is looked at twice: the file is opened here, for nothing, by a copy of its name, and what is
// then judged and changed is that open file. So it does not matter what the command makes of the name or of its memory in the meantime.
type files struct {
	writable []string
	actor    *actor // nil: every caller is the user of this process, and has no capabilities
}

// newFiles returns files for the calling goroutine, which it locks to its thread if this process runs as root.
func newFiles(writable []string) *files {
	f := &files{writable: writable}
	if os.Geteuid() != 0 {
		return f
	}
	runtime.LockOSThread() // permanently: the thread ends with the goroutine
	var err error
	if f.actor, err = newActor(); err != nil {
		f.writable = nil // refuse every change, since callers cannot be impersonated
	}
	return f
}

// asSelf makes the thread act with the rights of this process again.
func (f *files) asSelf() error {
	if f.actor == nil {
		return nil
	}
	return f.actor.become(f.actor.own)
}

// asCaller makes it act with those of a thread.
func (f *files) asCaller(thread int) error {
	if f.actor == nil {
		return nil
	}
	id, err := identityOf(thread)
	if err != nil {
		return err
	}
	return f.actor.become(id)
}

// fileCall is a call of a thread that waits for its answer.
type fileCall struct {
	number   int
	thread   int
	args     [6]uint64
	listener int    // that received the call
	id       uint64 // of the call there
}

// waits reports whether the call still waits. If not, the number of its thread may be another one's.
func (c *fileCall) waits() bool {
	return control(c.listener, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&c.id)) == nil
}

func changesFile(number int) bool {
	return number == unix.SYS_TRUNCATE || slices.Contains(fileCalls, number) || slices.Contains(fileCallsHere, number)
}

// cwd is the folder of a call that names none.
const cwd = unix.AT_FDCWD

// fileName is how a call names a file.
type fileName struct {
	dir   int    // descriptor of the caller, or cwd
	path  uint64 // address of the path in the caller's memory
	flags uint64 // AT_SYMLINK_NOFOLLOW and AT_EMPTY_PATH
	bare  bool   // dir is the file if path is nil
	open  bool   // dir is the file
}

// change changes an open file.
type change func(fd int) error

// change carries out a call. It leaves the thread with the rights of who called.
func (f *files) change(c fileCall) error {
	name, do, err := c.read()
	if err != nil {
		return err
	}
	if name.flags&^(unix.AT_SYMLINK_NOFOLLOW|unix.AT_EMPTY_PATH) != 0 {
		return unix.EINVAL
	}
	t, err := c.target(name)
	if err != nil {
		return err
	}
	defer t.close()
	if f.asCaller(c.thread) != nil || !c.waits() {
		return unix.EPERM
	}
	fd, err := t.open()
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if !f.mayChange(fd, t.path == "") {
		return unix.EPERM
	}
	return do(fd)
}

// mayChange reports whether an open file lies in a folder that the command may write. What has no name, such as a pipe, is the command's own if it
// came as a descriptor. A file that was removed has the name that it had.
func (f *files) mayChange(fd int, descriptor bool) bool {
	path, err := os.Readlink(descriptorName(fd))
	if err != nil {
		return false
	}
	if !strings.HasPrefix(path, "/") {
		return descriptor && !strings.HasPrefix(path, "(unreachable)")
	}
	return slices.ContainsFunc(f.writable, func(dir string) bool { return isBeneath(path, dir) })
}

// read reads the arguments of a call.
func (c *fileCall) read() (fileName, change, error) {
	a := c.args
	dir := int(int32(a[0]))
	switch c.number {
	case unix.SYS_FCHMOD:
		return fileName{dir: dir, open: true}, chmod(a[1]), nil
	case unix.SYS_FCHMODAT:
		return fileName{dir: dir, path: a[1]}, chmod(a[2]), nil
	case unix.SYS_FCHMODAT2:
		return fileName{dir: dir, path: a[1], flags: a[3]}, chmod(a[2]), nil
	case unix.SYS_FCHOWN:
		return fileName{dir: dir, open: true}, chown(a[1], a[2]), nil
	case unix.SYS_FCHOWNAT:
		return fileName{dir: dir, path: a[1], flags: a[4]}, chown(a[2], a[3]), nil
	case unix.SYS_UTIMENSAT:
		do, err := c.times(a[2], nanoseconds)
		return fileName{dir: dir, path: a[1], flags: a[3], bare: true}, do, err
	case unix.SYS_TRUNCATE:
		return fileName{dir: cwd, path: a[0]}, truncate(a[1]), nil
	case unix.SYS_FSETXATTR, unix.SYS_SETXATTR, unix.SYS_LSETXATTR:
		do, err := c.setAttribute()
		return c.attributeFile(), do, err
	case unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR:
		do, err := c.removeAttribute()
		return c.attributeFile(), do, err
	}
	return c.changeHere()
}

// attributeFile returns the file of a call for extended attributes.
func (c *fileCall) attributeFile() fileName {
	switch c.number {
	case unix.SYS_FSETXATTR, unix.SYS_FREMOVEXATTR:
		return fileName{dir: int(int32(c.args[0])), open: true}
	case unix.SYS_LSETXATTR, unix.SYS_LREMOVEXATTR:
		return fileName{dir: cwd, path: c.args[0], flags: unix.AT_SYMLINK_NOFOLLOW}
	}
	return fileName{dir: cwd, path: c.args[0]}
}

// Changes. Each works on a descriptor that is open for nothing (O_PATH).

func chmod(mode uint64) change {
	return func(fd int) error {
		return os.NewSyscallError("fchmodat", unix.Fchmodat(cwd, descriptorName(fd), uint32(mode), 0))
	}
}

func chown(user, group uint64) change {
	return func(fd int) error {
		return os.NewSyscallError("fchownat", unix.Fchownat(fd, "", int(int32(user)), int(int32(group)), unix.AT_EMPTY_PATH))
	}
}

func truncate(length uint64) change {
	return func(fd int) error {
		return os.NewSyscallError("truncate", unix.Truncate(descriptorName(fd), int64(length)))
	}
}

// clock reads the two times of a call. A call without times sets the current one.
type clock struct {
	size int   // of a time, in bytes
	unit int64 // of what follows the seconds, in nanoseconds; 0: nothing follows
}

var (
	nanoseconds  = clock{16, 1}
	microseconds = clock{16, 1000}
	seconds      = clock{8, 0}
)

func (k clock) read(b []byte) unix.Timespec {
	t := unix.Timespec{Sec: number(b)}
	if k.unit > 0 {
		t.Nsec = k.unit * number(b[8:])
	}
	return t
}

func number(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }

func (c *fileCall) times(address uint64, kind clock) (change, error) {
	var times *[2]unix.Timespec
	if address != 0 {
		b, err := c.memory(address, 2*kind.size)
		if err != nil {
			return nil, err
		}
		times = &[2]unix.Timespec{kind.read(b), kind.read(b[kind.size:])}
	}
	return func(fd int) error {
		empty := [1]byte{}
		_, _, errno := unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(fd), uintptr(unsafe.Pointer(&empty)), uintptr(unsafe.Pointer(times)), unix.AT_EMPTY_PATH, 0, 0)
		if errno != 0 {
			return errno
		}
		return nil
	}, nil
}

// Bounds of the kernel, in bytes.
const (
	maxAttributeName = 255
	maxAttribute     = 64 << 10
	maxPath          = 4096 // with the byte that ends it
)

func (c *fileCall) setAttribute() (change, error) {
	name, err := c.text(c.args[1], maxAttributeName+1, unix.ERANGE)
	if err != nil {
		return nil, err
	}
	if c.args[3] > maxAttribute {
		return nil, unix.E2BIG
	}
	value, err := c.memory(c.args[2], int(c.args[3]))
	if err != nil {
		return nil, err
	}
	return func(fd int) error {
		return os.NewSyscallError("setxattr", unix.Setxattr(descriptorName(fd), name, value, int(c.args[4])))
	}, nil
}

func (c *fileCall) removeAttribute() (change, error) {
	name, err := c.text(c.args[1], maxAttributeName+1, unix.ERANGE)
	if err != nil {
		return nil, err
	}
	return func(fd int) error {
		return os.NewSyscallError("removexattr", unix.Removexattr(descriptorName(fd), name))
	}, nil
}

// memory copies a part of the caller's memory.
func (c *fileCall) memory(address uint64, size int) ([]byte, error) {
	buf := make([]byte, size)
	if size == 0 {
		return buf, nil
	}
	n, err := c.copyMemory(address, buf)
	if err == nil && n < size {
		err = unix.EFAULT
	}
	return buf, err
}

// text copies a text that a zero byte ends. long is the error of one that does not fit.
func (c *fileCall) text(address uint64, size int, long error) (string, error) {
	buf := make([]byte, 0, size)
	for len(buf) < size {
		at := address + uint64(len(buf))
		page := os.Getpagesize() - int(at%uint64(os.Getpagesize())) // the next one may not be there
		part := buf[len(buf):min(len(buf)+page, size)]
		n, err := c.copyMemory(at, part)
		if err != nil {
			return "", err
		}
		if end := bytes.IndexByte(part[:n], 0); end >= 0 {
			return string(buf[:len(buf)+end]), nil
		}
		if n < len(part) {
			return "", unix.EFAULT
		}
		buf = buf[:len(buf)+n]
	}
	return "", long
}

// copyMemory returns fewer bytes if the memory of the caller ends. It reads a file of /proc, since container engines may refuse process_vm_readv.
func (c *fileCall) copyMemory(address uint64, to []byte) (int, error) {
	fd, err := unix.Open("/proc/"+strconv.Itoa(c.thread)+"/mem", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, unix.EPERM // the kernel keeps this process from looking into it
	}
	n, err := unix.Pread(fd, to, int64(address))
	_ = unix.Close(fd) // nothing was written
	switch {
	case errors.Is(err, unix.EIO), errors.Is(err, unix.EINVAL): // no memory is there
		return 0, nil
	case err != nil:
		return 0, unix.EPERM
	}
	return n, nil
}

// target is the file of a call as this process can open it.
type target struct {
	dir    int    // what path starts from; -1: path is absolute
	path   string // empty: dir itself
	follow bool   // links at the end of path
}

func (t target) close() {
	if t.dir >= 0 {
		_ = unix.Close(t.dir) // nothing was written
	}
}

// target finds what a call names. Folders and descriptors of the caller are opened through /proc, which needs this process's own rights.
func (c *fileCall) target(name fileName) (target, error) {
	if name.open || name.bare && name.path == 0 && name.dir != cwd {
		return c.descriptor(name.dir)
	}
	path, err := c.text(name.path, maxPath, unix.ENAMETOOLONG)
	if err != nil {
		return target{}, err
	}
	if path == "" {
		if name.flags&unix.AT_EMPTY_PATH == 0 {
			return target{}, unix.ENOENT
		}
		return c.descriptor(name.dir)
	}
	// By this name programs of the C library change what they have open for nothing.
	if fd, ok := strings.CutPrefix(path, "/proc/self/fd/"); ok {
		if n, err := strconv.Atoi(fd); err == nil && name.flags&unix.AT_SYMLINK_NOFOLLOW == 0 {
			return c.descriptor(n)
		}
	}
	t := target{dir: -1, path: path, follow: name.flags&unix.AT_SYMLINK_NOFOLLOW == 0}
	if !strings.HasPrefix(path, "/") {
		from, err := c.descriptor(name.dir)
		if err != nil {
			return target{}, err
		}
		t.dir = from.dir
	}
	return t, nil
}

// descriptor opens the file of a caller's descriptor, or its cwd.
func (c *fileCall) descriptor(n int) (target, error) {
	name := "/proc/" + strconv.Itoa(c.thread) + "/cwd"
	if n != cwd {
		name = "/proc/" + strconv.Itoa(c.thread) + "/fd/" + strconv.Itoa(n)
	}
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ENOENT):
		return target{}, unix.EBADF
	case err != nil:
		return target{}, unix.EPERM // the kernel keeps this process from looking into it
	}
	return target{dir: fd}, nil
}

// open returns a descriptor by which nothing can be read or written. It passes no link of /proc, which would lead to what this process has open.
func (t target) open() (int, error) {
	if t.path == "" {
		return unix.FcntlInt(uintptr(t.dir), unix.F_DUPFD_CLOEXEC, 0)
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	if !t.follow {
		how.Flags |= unix.O_NOFOLLOW
	}
	dir := t.dir
	if dir < 0 {
		dir = cwd
	}
	return unix.Openat2(dir, t.path, &how)
}
