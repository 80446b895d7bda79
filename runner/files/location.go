package files

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"xbot/runner/wire"
)

// location is a name in an open folder that is known not to be denied. Operations on it cannot be led elsewhere, since
// they start from the open folder and follow no link.
type location struct {
	folder int    // descriptor, owned by the place
	base   string // "." for the root folder
	path   string // absolute, links followed; for messages and for results
}

func (p *location) close() {
	_ = unix.Close(p.folder) // nothing was written through it
}

// locate finds what the path means, following a link at its end.
func (t *Tree) locate(path string) (*location, error) {
	abs, err := t.absolute(path)
	if err != nil {
		return nil, err
	}
	real, err := follow(abs, 0)
	if err != nil {
		return nil, explain(err, abs)
	}
	return t.open(real)
}

// locateLink finds the path itself: a link at its end is not followed.
func (t *Tree) locateLink(path string) (*location, error) {
	abs, err := t.absolute(path)
	if err != nil {
		return nil, err
	}
	parent, err := follow(filepath.Dir(abs), 0)
	if err != nil {
		return nil, explain(err, abs)
	}
	return t.open(filepath.Join(parent, filepath.Base(abs)))
}

// open opens the folder of a resolved path and checks that neither it nor the name in it is denied.
func (t *Tree) open(real string) (*location, error) {
	if t.isDeniedName(real) {
		return nil, denied(real)
	}
	folder, err := openFolder(filepath.Dir(real))
	if err != nil {
		return nil, explain(err, filepath.Dir(real))
	}
	p := &location{folder: folder, base: filepath.Base(real), path: real}
	if real == "/" {
		p.base = "."
	}
	if err := errors.Join(t.verify(folder, real), t.verifyBase(p), t.verifySeen(p), verifyProcess(p)); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func openFolder(path string) (int, error) {
	return unix.Open(path, folderFlags|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}

// identity is what makes two paths the same folder.
type identity struct{ dev, ino uint64 }

func identityOf(st unix.Stat_t) identity { return identity{uint64(st.Dev), st.Ino} }

// deniedNow returns the identities of the denied folders: those that they had when the runner started, also if renamed since, and those of folders that
// were made under their names since.
func (t *Tree) deniedNow() map[identity]bool {
	names, then := t.denials()
	found := maps.Clone(then)
	maps.Copy(found, identities(names))
	return found
}

// hold notes the identities of folders. They stay open, so that the system gives them to no other.
func (t *Tree) hold(folders []string) (map[identity]bool, error) {
	found := map[identity]bool{}
	for _, dir := range folders {
		fd, err := unix.Open(dir, folderFlags|unix.O_CLOEXEC, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", dir, err)
		}
		t.held = append(t.held, os.NewFile(uintptr(fd), dir))
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return nil, fmt.Errorf("look at %s: %w", dir, err)
		}
		found[identityOf(st)] = true
	}
	return found, nil
}

// isDeniedName covers denied folders that do not exist yet. Names decide nothing else.
func (t *Tree) isDeniedName(real string) bool {
	for _, dir := range t.Denied() {
		if real == dir || strings.HasPrefix(real, dir+string(os.PathSeparator)) {
			return true
		}
	}
	return false
}

// verify fails if an open folder is a denied one or lies in one.
func (t *Tree) verify(folder int, path string) error {
	forbidden := t.deniedNow()
	return climb(folder, path, func(id identity) (bool, error) {
		if forbidden[id] {
			return false, denied(path)
		}
		return true, nil
	})
}

// mayChange fails if the place is outside the folders that may be changed.
func (t *Tree) mayChange(p *location) error {
	if t.writable == nil {
		return nil
	}
	found := false
	err := climb(p.folder, p.path, func(id identity) (bool, error) {
		found = t.writableThen[id]
		return !found, nil
	})
	if err == nil && !found {
		err = wire.Errorf(wire.Denied, "%s cannot be changed: on this machine only %s may", p.path, strings.Join(t.writable, ", "))
	}
	return err
}

// climb visits an open folder and those above it, up to the root or until visit has seen enough.
func climb(folder int, path string, visit func(identity) (on bool, err error)) error {
	var st unix.Stat_t
	if err := unix.Fstat(folder, &st); err != nil {
		return explain(err, path)
	}
	current := folder
	defer func() {
		if current != folder {
			_ = unix.Close(current) // nothing was written through it
		}
	}()
	for {
		child := identityOf(st)
		if on, err := visit(child); err != nil || !on {
			return err
		}
		parent, err := unix.Openat(current, "..", folderFlags|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return explain(err, path)
		}
		if current != folder {
			_ = unix.Close(current) // nothing was written through it
		}
		current = parent
		if err := unix.Fstat(parent, &st); err != nil {
			return explain(err, path)
		}
		if identityOf(st) == child {
			return nil // the root is its own parent
		}
	}
}

// verifyBase fails if the name itself is a denied folder. A missing one is not denied.
func (t *Tree) verifyBase(p *location) error {
	st, err := p.stat()
	if err == nil && t.deniedNow()[identityOf(st)] {
		return denied(p.path)
	}
	return nil
}

func (p *location) stat() (unix.Stat_t, error) {
	var st unix.Stat_t
	err := unix.Fstatat(p.folder, p.base, &st, unix.AT_SYMLINK_NOFOLLOW)
	return st, err
}

// openFile opens the name. Flags are added to those that keep it safe: no link is followed, no FIFO is waited for.
func (p *location) openFile(flags int, mode uint32) (*os.File, error) {
	fd, err := unix.Openat(p.folder, p.base, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, mode)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), p.path), nil
}

// sync makes what happened to names in the folder survive a power cut.
func (p *location) sync() error {
	fd, err := unix.Openat(p.folder, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EACCES) {
		return nil // a folder that may be written but not read cannot be synced
	}
	if err != nil {
		return err
	}
	return errors.Join(unix.Fsync(fd), unix.Close(fd))
}
