package skill

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"xbot/internal/fault"
)

// maxNames limits the names of a folder that are read.
const maxNames = 1000

// Server is a folder of skills on the server's disk. No link leads out of it.
type Server struct {
	Dir string // need not exist
}

// Any reports whether there is a skill, which costs less than a list.
func (s Server) Any() bool {
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return false
	}
	defer root.Close()
	names, err := namesIn(root, ".")
	return err == nil && slices.ContainsFunc(names, func(name string) bool {
		info, err := root.Stat(path.Join(name, File))
		return err == nil && info.Mode().IsRegular()
	})
}

// List returns the skills, sorted by their folders. Unreadable ones are skipped; without the folder there are none.
func (s Server) List() ([]Found, error) {
	root, err := os.OpenRoot(s.Dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	names, err := namesIn(root, ".")
	if err != nil {
		return nil, err
	}
	var out []Found
	for _, name := range names {
		head, err := readRegular(root, path.Join(name, File), 0, MaxHead)
		if err != nil {
			continue // not a skill, or not yet
		}
		if e, ok := Describe(head.Data, name); ok && len(out) < MaxSkills {
			out = append(out, Found{Entry: e, Folder: serverFolder{s.Dir, name}})
		}
	}
	return out, nil
}

// namesIn returns the names in a folder, sorted, at most maxNames of them.
func namesIn(root *os.Root, dir string) ([]string, error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(maxNames)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, ".") }), err
}

// readRegular reads a part of a regular file. It does not block on other files, such as a FIFO.
func readRegular(root *os.Root, file string, offset, limit int64) (Piece, error) {
	f, err := root.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Piece{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Piece{}, err
	}
	if !info.Mode().IsRegular() {
		return Piece{}, fault.Errorf(fault.Invalid, "%s is no regular file", path.Base(file))
	}
	data, err := io.ReadAll(io.NewSectionReader(f, offset, limit))
	return Piece{Data: data, Size: info.Size()}, err
}

type serverFolder struct{ dir, name string }

func (f serverFolder) Base() string { return f.name }

func (serverFolder) Path() string { return "" }

func (f serverFolder) open() (*os.Root, error) {
	all, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, explain(err, f.name)
	}
	defer all.Close()
	root, err := all.OpenRoot(f.name)
	if err != nil {
		return nil, explain(err, f.name)
	}
	return root, nil
}

func (f serverFolder) Files(context.Context) (files []Listed, more bool, err error) {
	root, err := f.open()
	if err != nil {
		return nil, false, err
	}
	defer root.Close()
	seen := 0
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // what cannot be looked at is not listed
		case entry.IsDir() && name != "." && (entry.Name() == ".git" || strings.Count(name, "/") >= maxDepth):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		if seen++; seen > maxNames || len(files) == MaxFiles {
			more = true
			return fs.SkipAll
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, Listed{Name: name, Size: info.Size()})
		}
		return nil
	})
	return files, more, err
}

func (f serverFolder) Read(_ context.Context, file string, offset int64) (Piece, error) {
	file = Clean(file)
	if err := checkFile(file); err != nil {
		return Piece{}, err
	}
	root, err := f.open()
	if err != nil {
		return Piece{}, err
	}
	defer root.Close()
	p, err := readRegular(root, file, offset, MaxPiece)
	if err != nil {
		return Piece{}, explain(err, file)
	}
	return p, nil
}

// explain gives an error of the disk a kind and a sentence that names no path of the server.
func explain(err error, name string) error {
	switch {
	case fault.KindOf(err) == fault.Invalid:
		return err
	case errors.Is(err, fs.ErrNotExist):
		return fault.Errorf(fault.NotFound, "the skill has no %.80q; list_files shows what it has", name)
	}
	return fault.Errorf(fault.Denied, "%.80q cannot be read: a file of a skill is a regular file in its folder", name)
}
