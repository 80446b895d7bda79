package confine

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Options of file systems that the sandbox is made of.
const (
	coverOptions = "mode=000,size=4k,nr_inodes=1" // holds nothing, and no process may enter
	smallOptions = "mode=755,size=64k,nr_inodes=64"
	shmOptions   = "mode=1777"
)

// tree is a part of the file system as it was before the sandbox was built.
type tree struct {
	path string
	fd   int
}

// mount changes the mounts of the calling thread's namespace.
func (p *plan) mount() error {
	// Later mounts of others still show here; mounts made here show nowhere else.
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("separate the mounts: %w", err)
	}
	if err := p.pin(); err != nil {
		return err
	}
	if err := p.coverHidden(); err != nil {
		return err
	}
	for _, path := range p.doors {
		if err := (Hidden{Path: path}).cover(); err != nil && !isAbsent(err) {
			return err
		}
	}
	if err := p.close(); err != nil {
		return err
	}
	return p.verifyHidden()
}

// coverHidden covers the hidden files, and puts back the visible ones among them. If the covers cannot be made read-only afterwards, nothing can be
// put back.
func (p *plan) coverHidden() error {
	if len(p.show) > 0 && !canFreeze() {
		return errors.New("this kernel cannot show a part of what is hidden (Linux 5.12 is needed)")
	}
	shown, err := take(p.show)
	if err != nil {
		return err
	}
	for _, h := range p.hide {
		cover := h.cover
		if p.holdsShown(h.Path) {
			cover = h.coverAround
		}
		if err := cover(); err != nil && !(h.Foreign && isAbsent(err)) {
			return err
		}
	}
	for _, t := range shown {
		if err := makeFolders(t.path); err != nil {
			return err
		}
	}
	return attach(shown)
}

// close builds the rest of the sandbox, around the covers.
func (p *plan) close() error {
	if !canFreeze() {
		return errors.Join(p.coverRun(nil), makeDev(), mountShm())
	}
	writable, err := take(p.write)
	if err != nil {
		return err
	}
	return errors.Join(p.coverRun(writable), makeDev(), p.freeze(writable), mountShm())
}

// pin keeps the command from renaming the folders above what is hidden, which would then lie under another name for the
// next command: each is mounted on itself, and mount points cannot be renamed.
func (p *plan) pin() error {
	done := map[string]bool{}
	for _, path := range p.covered() {
		var above []string // from the innermost
		for dir := filepath.Dir(path); dir != "/" && p.canRename(dir); dir = filepath.Dir(dir) {
			above = append(above, dir)
		}
		for _, dir := range slices.Backward(above) {
			if done[dir] {
				continue
			}
			done[dir] = true
			if err := pinFolder(dir); err != nil && !isAbsent(err) {
				return fmt.Errorf("hold %s in its place: %w", dir, err)
			}
		}
	}
	return nil
}

// covered returns the names under which the command will find nothing.
func (p *plan) covered() []string {
	out := slices.Clone(p.doors)
	for _, h := range p.hide {
		out = append(out, h.Path)
	}
	return out
}

// canRename reports whether a command may change the folder that a folder lies in.
func (p *plan) canRename(dir string) bool {
	return !canFreeze() || p.isWritable(filepath.Dir(dir))
}

func pinFolder(dir string) error {
	fd, err := (Hidden{Path: dir}).open()
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	name := descriptorName(fd)
	return unix.Mount(name, name, "", unix.MS_BIND|unix.MS_REC, "")
}

// descriptorName leads to the file of a descriptor, also after a rename.
func descriptorName(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// cover puts an empty file system over a folder, or the null device over a file.
func (h Hidden) cover() error {
	return h.coverWith(unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, coverOptions)
}

// coverAround is cover for a folder that parts of are put back into. It is made read-only with the rest of the file system.
func (h Hidden) coverAround() error {
	return h.coverWith(unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, smallOptions)
}

func (h Hidden) coverWith(flags uintptr, options string) error {
	fd, err := h.open()
	if err != nil {
		return fmt.Errorf("cover %s: %w", h.Path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("cover %s: %w", h.Path, err)
	}
	source, kind := "xbot", "tmpfs"
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		source, kind, flags, options = "/dev/null", "", unix.MS_BIND, ""
	}
	if err := unix.Mount(source, descriptorName(fd), kind, flags, options); err != nil {
		return fmt.Errorf("cover %s: %w", h.Path, err)
	}
	return nil
}

// verifyHidden fails if what is to be hidden can still be seen under its name.
func (p *plan) verifyHidden() error {
	for _, h := range p.hide {
		var st unix.Stat_t
		err := unix.Lstat(h.Path, &st)
		if err == nil && h.Inode != 0 && st.Dev == h.Device && st.Ino == h.Inode {
			return fmt.Errorf("%s stayed visible", h.Path)
		}
		if err != nil && !isAbsent(err) && !errors.Is(err, unix.EACCES) { // no process enters beneath a cover
			return fmt.Errorf("look whether %s is hidden: %w", h.Path, err)
		}
	}
	return nil
}

// canFreeze reports whether the kernel can make whole trees read-only (Linux 5.12).
func canFreeze() bool {
	return !errors.Is(unix.MountSetattr(-1, "", 0, &unix.MountAttr{}), unix.ENOSYS)
}

// take holds trees with all that is mounted in them.
func take(paths []string) ([]tree, error) {
	var trees []tree
	for _, path := range paths {
		fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
		if err != nil {
			return nil, fmt.Errorf("hold %s: %w", path, err)
		}
		trees = append(trees, tree{path: path, fd: fd})
	}
	return trees, nil
}

func attach(trees []tree) error {
	for _, t := range trees {
		if err := unix.MoveMount(t.fd, "", unix.AT_FDCWD, t.path, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return fmt.Errorf("put %s back: %w", t.path, err)
		}
		_ = unix.Close(t.fd) // nothing was written through it
	}
	return nil
}

// coverRun hides the sockets of the machine's services, which serve every process that reaches them. Places are made for writable folders that lie in
// there.
func (p *plan) coverRun(writable []tree) error {
	if !p.run || p.isWritable("/run") {
		return nil
	}
	harmless, err := take(p.keep)
	if err != nil {
		return err
	}
	if err := unix.Mount("xbot", "/run", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, smallOptions); err != nil {
		return fmt.Errorf("cover /run: %w", err)
	}
	for _, t := range append(harmless, writable...) {
		if strings.HasPrefix(t.path, "/run/") {
			if err := makeFolders(t.path); err != nil {
				return err
			}
		}
	}
	return attach(harmless)
}

func makeFolders(path string) error {
	if path == "/" {
		return nil
	}
	if err := makeFolders(filepath.Dir(path)); err != nil {
		return err
	}
	if err := unix.Mkdir(path, 0o755); err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("make %s: %w", path, err)
	}
	return nil
}

// freeze makes everything read-only but the trees that were taken before. Views of the kernel are never writable.
func (p *plan) freeze(writable []tree) error {
	readOnly := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if !p.isWritable("/") {
		if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, readOnly); err != nil {
			return fmt.Errorf("make the file system read-only: %w", err)
		}
		return attach(writable)
	}
	for _, dir := range []string{"/proc", "/sys"} {
		if err := unix.MountSetattr(unix.AT_FDCWD, dir, unix.AT_RECURSIVE, readOnly); err != nil && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("make %s read-only: %w", dir, err)
		}
	}
	return nil
}

// mountShm gives the command shared memory that no other process sees.
func mountShm() error {
	if err := unix.Mount("xbot", "/dev/shm", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, shmOptions); err != nil {
		return fmt.Errorf("mount /dev/shm: %w", err)
	}
	return nil
}
