package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"xbot/runner/wire"
)

// Read returns a part of a regular file, at most wire.MaxChunk bytes. Fewer bytes than asked for mean that the file
// ends there.
func (t *Tree) Read(r wire.Read) (wire.ReadResult, error) {
	if r.Offset < 0 || r.Limit < 0 {
		return wire.ReadResult{}, wire.Errorf(wire.Invalid, "offset and limit must not be negative")
	}
	p, err := t.locate(r.Path)
	if err != nil {
		return wire.ReadResult{}, err
	}
	defer p.close()
	f, err := p.openFile(unix.O_RDONLY, 0)
	if err != nil {
		return wire.ReadResult{}, explain(err, p.path)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return wire.ReadResult{}, explain(err, p.path)
	}
	if err := mustBeRegular(info, p.path); err != nil {
		return wire.ReadResult{}, err
	}
	data, err := readPart(f, r.Offset, min(r.Limit, wire.MaxChunk), info.Size())
	if err != nil {
		return wire.ReadResult{}, explain(err, p.path)
	}
	return wire.ReadResult{Data: data, Size: info.Size(), ModTime: info.ModTime()}, nil
}

func mustBeRegular(info fs.FileInfo, path string) error {
	switch {
	case info.IsDir():
		return wire.Errorf(wire.Invalid, "%s is a folder", path)
	case !info.Mode().IsRegular():
		return wire.Errorf(wire.Invalid, "%s is not a regular file", path)
	}
	return nil
}

// readPart reads until limit or the end. Files of /proc have the size 0 and content all the same, so the size only sets how much memory to begin
// with.
func readPart(f *os.File, offset, limit, size int64) ([]byte, error) {
	buf := make([]byte, 0, max(0, min(limit, size-offset))+512)
	for int64(len(buf)) < limit {
		buf = slices.Grow(buf, 512)
		room := buf[len(buf):min(int64(cap(buf)), limit)]
		n, err := f.ReadAt(room, offset+int64(len(buf)))
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return buf, nil
}

// Stat describes what a path leads to. For a link, Link holds its target, and a link that leads nowhere is described
// itself.
func (t *Tree) Stat(path string) (wire.FileInfo, error) {
	abs, err := t.absolute(path)
	if err != nil {
		return wire.FileInfo{}, err
	}
	p, err := t.locate(path)
	if err != nil {
		return wire.FileInfo{}, err
	}
	p.close()
	info, err := describe(abs)
	info.Real = p.path
	return info, explain(err, abs)
}

// describe needs a path that was found to be allowed.
func describe(path string) (wire.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return wire.FileInfo{}, err
	}
	link := ""
	if info.Mode()&fs.ModeSymlink != 0 {
		if link, err = os.Readlink(path); err != nil {
			return wire.FileInfo{}, err
		}
		if target, err := os.Stat(path); err == nil {
			info = target
		}
	}
	return wire.FileInfo{
		Path: path, Size: info.Size(), Mode: uint32(info.Mode()), ModTime: info.ModTime(), Dir: info.IsDir(), Link: link,
	}, nil
}

// ReadDir lists a folder by name. Entries that vanish during the listing are left out.
func (t *Tree) ReadDir(path string) (wire.ReadDirResult, error) {
	p, err := t.locate(path)
	if err != nil {
		return wire.ReadDirResult{}, err
	}
	defer p.close()
	f, err := p.openFile(unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return wire.ReadDirResult{}, explain(err, p.path)
	}
	defer f.Close()
	names, err := f.Readdirnames(wire.MaxDirEntries + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return wire.ReadDirResult{}, explain(err, p.path)
	}
	if len(names) > wire.MaxDirEntries {
		return wire.ReadDirResult{}, wire.Errorf(wire.TooLarge,
			"%s has more than %d entries: look for names with a pattern instead", p.path, wire.MaxDirEntries)
	}
	slices.SortFunc(names, strings.Compare)
	result := wire.ReadDirResult{Entries: make([]wire.FileInfo, 0, len(names))}
	for _, name := range names {
		if info, err := describe(filepath.Join(p.path, name)); err == nil {
			result.Entries = append(result.Entries, info)
		}
	}
	return result, nil
}
