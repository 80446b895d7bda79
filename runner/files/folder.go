package files

import (
	"errors"
	"path/filepath"

	"golang.org/x/sys/unix"

	"xbot/runner/wire"
)

// MkdirAll makes a folder and those above it. A folder that exists is no error.
func (t *Tree) MkdirAll(path string) error {
	abs, err := t.absolute(path)
	if err != nil {
		return err
	}
	real, err := follow(abs, 0)
	if err != nil {
		return explain(err, abs)
	}
	return t.mkdirAll(real)
}

func (t *Tree) mkdirAll(real string) error {
	p, err := t.open(real)
	if wire.IsKind(err, wire.NotFound) && real != "/" {
		if err := t.mkdirAll(filepath.Dir(real)); err != nil {
			return err
		}
		p, err = t.open(real)
	}
	if err != nil {
		return err
	}
	defer p.close()
	if _, err := p.stat(); err == nil {
		return mustBeFolder(p)
	}
	if err := t.mayChange(p); err != nil {
		return err
	}
	err = unix.Mkdirat(p.folder, p.base, 0o777)
	if errors.Is(err, unix.EEXIST) {
		return mustBeFolder(p)
	}
	return explain(err, p.path)
}

func mustBeFolder(p *location) error {
	st, err := p.stat()
	if err != nil {
		return explain(err, p.path)
	}
	if !isFolder(st) {
		return wire.Errorf(wire.Conflict, "%s exists and is not a folder", p.path)
	}
	return nil
}
