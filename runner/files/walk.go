package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"xbot/runner/grep"
	"xbot/runner/wire"
)

// pseudo are folders whose files are views of the kernel: a search from above passes them by.
var pseudo = []string{"/proc", "/sys", "/dev"}

// walker visits the files below a folder. It does not follow links and reaches nothing outside the folder, even if files are moved or linked
// in the meantime.
type walker struct {
	tree   *Tree
	root   *os.Root
	path   string // of root, absolute, links followed
	denied map[identity]bool
	procs  map[uint64]bool // devices whose files are views of processes
}

// walkFrom opens a folder for a walk. A file instead of a folder is Invalid.
func (t *Tree) walkFrom(path string) (*walker, error) {
	p, err := t.locate(path)
	if err != nil {
		return nil, err
	}
	defer p.close()
	folder, err := p.openFile(unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, explain(err, p.path)
	}
	defer folder.Close()
	root, err := os.OpenRoot(p.path)
	if err != nil {
		return nil, explain(err, p.path)
	}
	w := &walker{tree: t, root: root, path: p.path, procs: procDevices()}
	w.denied, err = t.closed()
	err = errors.Join(err, w.sameFolder(folder))
	if err == nil && isProc(int(folder.Fd())) {
		err = wire.Errorf(wire.Denied, "%s tells of processes and is not searched: use a command to look at them", p.path)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return w, nil
}

// sameFolder makes sure that the root is the folder that was checked.
func (w *walker) sameFolder(checked *os.File) error {
	a, err := checked.Stat()
	if err != nil {
		return explain(err, w.path)
	}
	b, err := w.root.Stat(".")
	if err != nil {
		return explain(err, w.path)
	}
	if !os.SameFile(a, b) {
		return wire.Errorf(wire.Unavailable, "%s was moved meanwhile: try again", w.path)
	}
	return nil
}

func (w *walker) close() {
	_ = w.root.Close() // it was only read
}

// errEnough ends a walk early.
var errEnough = grep.ErrEnough

// walk calls visit for every regular file and link, with its path relative to the root. Enter decides about folders.
// Unreadable folders are passed by. It returns false when ctx or errEnough ended it early.
func (w *walker) walk(ctx context.Context, enter func(rel string) bool, visit func(rel string, d fs.DirEntry) error) (complete bool, err error) {
	err = fs.WalkDir(w.root.FS(), ".", func(rel string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return errEnough
		case err != nil:
			return fs.SkipDir
		case rel == ".":
			return nil
		case d.IsDir():
			if w.isBarred(rel, d) || !enter(rel) {
				return fs.SkipDir
			}
			return nil
		case d.Type().IsRegular(), d.Type()&fs.ModeSymlink != 0:
			return visit(rel, d)
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return false, nil
	}
	return err == nil, err
}

func (w *walker) isBarred(rel string, d fs.DirEntry) bool {
	if slices.Contains(pseudo, filepath.Join(w.path, rel)) {
		return true
	}
	info, err := d.Info()
	if err != nil {
		return true // gone
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || w.procs[uint64(st.Dev)] || w.denied[identity{uint64(st.Dev), st.Ino}]
}

// isClosed reports whether an open file is one that no operation reaches, under any name.
func (w *walker) isClosed(f *os.File) bool {
	var st unix.Stat_t
	return unix.Fstat(int(f.Fd()), &st) != nil || w.denied[identityOf(st)]
}
