package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Groups of rights.
const (
	readRights   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	deviceRights = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	fileRights   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | deviceRights // what a file that is no folder can have
	writeRights  = deviceRights | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
)

// Versions of Landlock and what came with them.
const (
	abiRefer    = 2 // moving files between folders; before, every domain forbids it, so we make none
	abiTruncate = 3
	abiNetwork  = 4
	abiDevices  = 5
	abiScope    = 6 // signals and abstract sockets
)

// newestABI is the newest version that is used; empty: the kernel's. Tests of older kernels set it:
// -ldflags "-X xbot/runner/confine.newestABI=3".
var newestABI string

// landlockABI returns the version that the kernel has; 0 means none.
func landlockABI() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	if newest, err := strconv.Atoi(newestABI); err == nil {
		return min(int(version), newest)
	}
	return int(version)
}

// known leaves out rights that the kernel does not know.
func known(rights uint64, abi int) uint64 {
	if abi < abiTruncate {
		rights &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi < abiDevices {
		rights &^= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return rights
}

// ruleset is a Landlock domain in the making.
type ruleset struct {
	fd      int
	handled uint64
}

func newRuleset(attr unix.LandlockRulesetAttr, size uintptr) (*ruleset, error) {
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return nil, fmt.Errorf("make a Landlock ruleset: %w", errno)
	}
	return &ruleset{fd: int(fd), handled: attr.Handled_access_fs}, nil
}

// allow grants rights on a file, or on a folder and all beneath it. A missing file needs none.
func (r *ruleset) allow(path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil //nolint:nilerr // without the grant it stays forbidden
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	if rights &= r.handled; rights == 0 {
		return nil
	}
	beneath := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&beneath)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("add a Landlock rule for %s: %w", path, errno)
	}
	return nil
}

// enter puts the calling thread into the domain. It needs to have given up new privileges.
func (r *ruleset) enter() error {
	_, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(r.fd), 0, 0)
	if errno != 0 {
		return fmt.Errorf("enter the Landlock domain: %w", errno)
	}
	return nil
}

func (r *ruleset) close() { _ = unix.Close(r.fd) } // nothing was written

// restrict puts the calling thread into a domain that may write where it is planned, change no mounts, and look into no
// process outside. Without a namespace it may also not read what is hidden.
func (p *plan) restrict(method Method) error {
	abi := landlockABI()
	if abi < abiRefer {
		if method == Landlock {
			return errors.New("this kernel has no Landlock, or an old one (Linux 5.19 is needed)")
		}
		return nil // the namespace has to do
	}
	handled := known(writeRights, abi)
	if method == Landlock {
		handled |= readRights
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handled}
	size := unsafe.Sizeof(handled)
	if abi >= abiScope { // signals and abstract sockets stay among what this command starts
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		size = unsafe.Offsetof(attr.Quiet_access_fs)
	}
	r, err := newRuleset(attr, size)
	if err != nil {
		return err
	}
	defer r.close()
	errs := []error{p.allowWriting(r, method)}
	if method == Landlock {
		errs = append(errs, p.allowReading(r))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return r.enter()
}

// ownFolders are folders of /dev that every command may write.
var ownFolders = []string{"/dev/shm", "/dev/pts"}

func (p *plan) allowWriting(r *ruleset, method Method) error {
	var errs []error
	for _, dir := range p.write {
		errs = append(errs, r.allow(dir, writeRights|readRights))
	}
	for _, dir := range ownFolders {
		errs = append(errs, r.allow(dir, writeRights|readRights))
	}
	if method != Landlock { // /dev is our own
		return errors.Join(append(errs, r.allow("/dev", deviceRights))...)
	}
	for _, name := range append(devices(), "/dev/ptmx") {
		errs = append(errs, r.allow(name, deviceRights|readRights))
	}
	return errors.Join(errs...)
}

// allowReading grants everything but what is hidden, by granting its neighbours. Names in a hidden folder can be
// listed, for who may list / may list all; contents cannot be read.
func (p *plan) allowReading(r *ruleset) error {
	for _, h := range p.hide {
		if p.isWritable(h.Path) && !h.Optional {
			return fmt.Errorf("%s lies in a folder that commands may write, and Landlock cannot take it out: "+
				"move one of them out of the other, or allow user namespaces", h.Path)
		}
	}
	errs := []error{r.allow("/", unix.LANDLOCK_ACCESS_FS_READ_DIR), p.allowAround(r, "/")}
	for _, dir := range p.show {
		errs = append(errs, r.allow(dir, readRights))
	}
	return errors.Join(errs...)
}

func (p *plan) allowAround(r *ruleset, dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOENT) { // it may have been removed since its name was read
		return nil // without the grants it stays forbidden, also to a command that opens it afterwards
	}
	if err != nil {
		return err
	}
	var errs []error
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		switch {
		case isLink(path): // what it leads to is granted under its own name
		case path == "/dev": // root could read hidden files off the disk; allowWriting grants what is harmless
		case p.isHidden(path):
		case p.holdsHidden(path):
			errs = append(errs, p.allowAround(r, path))
		default:
			errs = append(errs, r.allow(path, readRights))
		}
	}
	return errors.Join(errs...)
}

func isLink(path string) bool {
	var st unix.Stat_t
	return unix.Lstat(path, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK
}

func isBeneath(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}
