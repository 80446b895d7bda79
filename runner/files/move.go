package files

import (
	"errors"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"xbot/runner/wire"
)

// Move renames a file, a link or a folder. It never replaces a file at the new path.
func (t *Tree) Move(m wire.Move) error {
	from, err := t.locateLink(m.From)
	if err != nil {
		return err
	}
	defer from.close()
	to, err := t.locateLink(m.To)
	if err != nil {
		return err
	}
	defer to.close()
	if err := errors.Join(t.mayChange(from), t.mayChange(to), t.mayGo(from)); err != nil {
		return err
	}
	if _, err := from.stat(); err != nil {
		return explain(err, from.path)
	}
	if isBelow(to.path, from.path) {
		return wire.Errorf(wire.Invalid, "%s cannot be moved into itself", from.path)
	}
	err = renameNew(from, to)
	if errors.Is(err, unix.EXDEV) {
		return wire.Errorf(wire.Invalid, "%s and %s are on different disks: copy it, and remove the old one", from.path, to.path)
	}
	if err != nil {
		return explain(err, to.path)
	}
	return explain(errors.Join(from.sync(), to.sync()), to.path)
}

// mayGo fails for folders that must keep their names: those above a denied folder or the workspace.
func (t *Tree) mayGo(p *location) error {
	for _, dir := range t.Denied() {
		if isBelow(dir, p.path) {
			return denied(dir)
		}
	}
	workspace, err := follow(t.workspace, 0)
	if err != nil {
		return explain(err, t.workspace)
	}
	if p.path == workspace || isBelow(workspace, p.path) {
		return wire.Errorf(wire.Denied, "%s is the workspace of this runner, or holds it: it stays where it is", p.path)
	}
	return nil
}

// isBelow reports whether a clean path lies in a folder.
func isBelow(path, folder string) bool {
	return folder == "/" && path != "/" || strings.HasPrefix(path, folder+string(filepath.Separator))
}
