package files

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"xbot/runner/grep"
	"xbot/runner/wire"
)

// grepTime bounds a Grep.
const grepTime = 60 * time.Second

// Grep finds lines by a regular expression, in the order of paths and lines. Folders named .git and worktrees of
// agents are left out unless the search starts in one. What was not looked at in time makes the result Truncated.
func (t *Tree) Grep(ctx context.Context, q wire.Grep) (wire.GrepResult, error) {
	g, err := grep.New(q)
	if err != nil {
		return wire.GrepResult{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, grepTime)
	defer cancel()
	root := cmp.Or(q.Root, t.workspace)
	info, err := t.Stat(root)
	if err != nil {
		return wire.GrepResult{}, err
	}
	if !info.Dir {
		return t.grepFile(ctx, g, root)
	}
	w, err := t.walkFrom(root)
	if err != nil {
		return wire.GrepResult{}, err
	}
	defer w.close()
	enter := func(rel string) bool { return filepath.Base(rel) != ".git" && !worktrees(rel) }
	complete, err := w.walk(ctx, enter, func(rel string, d fs.DirEntry) error {
		if !d.Type().IsRegular() || !g.Included(rel) {
			return nil
		}
		f, err := w.root.OpenFile(rel, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
		if err != nil {
			g.Skip()
			return nil
		}
		defer f.Close()
		if w.isClosed(f) {
			return nil
		}
		return g.File(ctx, f, filepath.Join(w.path, rel))
	})
	if !complete {
		g.Truncate()
	}
	return g.Result(), explain(err, root)
}

func (t *Tree) grepFile(ctx context.Context, g *grep.Search, path string) (wire.GrepResult, error) {
	p, err := t.locate(path)
	if err != nil {
		return wire.GrepResult{}, err
	}
	defer p.close()
	f, err := p.openFile(unix.O_RDONLY, 0)
	if err != nil {
		return wire.GrepResult{}, explain(err, p.path)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return wire.GrepResult{}, explain(err, p.path)
	}
	if err := mustBeRegular(info, p.path); err != nil {
		return wire.GrepResult{}, err
	}
	if err := g.File(ctx, f, p.path); err != nil && !errors.Is(err, errEnough) {
		return wire.GrepResult{}, explain(err, p.path)
	}
	return g.Result(), nil
}
