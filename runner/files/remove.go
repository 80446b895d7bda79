package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"xbot/runner/wire"
)

// Remove removes a file, a link or an empty folder.
func (t *Tree) Remove(path string) error {
	return t.remove(path, func(p *location, st unix.Stat_t) error {
		flags := 0
		if isFolder(st) {
			flags = unix.AT_REMOVEDIR
		}
		return explain(unix.Unlinkat(p.folder, p.base, flags), p.path)
	})
}

// RemoveAll removes a file, a link or a folder with all that it holds. It follows no link and goes to no other disk; a folder that no
// operation reaches ends it. A part may be gone by then.
func (t *Tree) RemoveAll(ctx context.Context, path string) error {
	return t.remove(path, func(p *location, st unix.Stat_t) error {
		closed, err := t.closed()
		if err != nil {
			return err
		}
		if err := t.mayGo(p); err != nil {
			return err
		}
		r := &removal{ctx: ctx, closed: closed, disk: uint64(st.Dev)}
		return explain(r.entry(p.folder, p.base, p.path), p.path)
	})
}

// remove locates and checks the file, and leaves its removal to do.
func (t *Tree) remove(path string, do func(*location, unix.Stat_t) error) error {
	p, err := t.locateLink(path)
	if err != nil {
		return err
	}
	defer p.close()
	if err := t.mayChange(p); err != nil {
		return err
	}
	st, err := p.stat()
	if err != nil {
		return explain(err, p.path)
	}
	return do(p, st)
}

// removal removes folders with all that they hold.
type removal struct {
	ctx    context.Context //nolint:containedctx // of one removal
	closed map[identity]bool
	disk   uint64
}

// entry removes a name of an open folder. Path is for messages.
func (r *removal) entry(folder int, name, path string) error {
	if err := r.ctx.Err(); err != nil {
		return wire.Errorf(wire.Unavailable, "the removal of %s was broken off, and a part of it is gone", path)
	}
	var st unix.Stat_t
	err := unix.Fstatat(folder, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return explain(err, path)
	case r.closed[identityOf(st)]:
		return denied(path)
	case !isFolder(st):
		return gone(unix.Unlinkat(folder, name, 0), path)
	case uint64(st.Dev) != r.disk:
		return wire.Errorf(wire.Invalid, "%s is another disk, and is not removed", path)
	}
	if err := r.content(folder, name, path, st); err != nil {
		return err
	}
	return gone(unix.Unlinkat(folder, name, unix.AT_REMOVEDIR), path)
}

// content empties a folder that was looked at.
func (r *removal) content(parent int, name, path string, seen unix.Stat_t) error {
	fd, err := unix.Openat(parent, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return gone(err, path)
	}
	folder := os.NewFile(uintptr(fd), path)
	defer folder.Close()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return explain(err, path)
	}
	if identityOf(st) != identityOf(seen) {
		return wire.Errorf(wire.Conflict, "%s was changed by something else meanwhile: try again", path)
	}
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return explain(err, path)
	}
	for _, name := range names {
		if err := r.entry(fd, name, filepath.Join(path, name)); err != nil {
			return err
		}
	}
	return nil
}

// gone treats a path that another process has removed as removed.
func gone(err error, path string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return explain(err, path)
}

func isFolder(st unix.Stat_t) bool { return st.Mode&unix.S_IFMT == unix.S_IFDIR }
