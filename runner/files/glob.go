package files

import (
	"cmp"
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"xbot/runner/grep"
	"xbot/runner/pattern"
	"xbot/runner/wire"
)

// Bounds of a Glob.
const (
	globTime = 30 * time.Second
	maxGlob  = 200_000 // files looked at for their age
)

// Glob finds files by name, newest first. Folders named .git are left out unless the pattern names them, and
// worktrees of agents unless the search starts in one. What was not looked at in time makes the result Truncated.
func (t *Tree) Glob(ctx context.Context, q wire.Glob) (wire.GlobResult, error) {
	limit, err := grep.Limit(q.Limit)
	if err != nil {
		return wire.GlobResult{}, err
	}
	folder, rest := pattern.FixedPrefix(q.Pattern)
	switch {
	case filepath.IsAbs(q.Pattern):
		folder = "/" + folder
	default:
		folder = filepath.Join(cmp.Or(q.Root, t.workspace), folder)
	}
	match, err := pattern.Compile(rest)
	if err != nil {
		return wire.GlobResult{}, err
	}
	w, err := t.walkFrom(folder)
	if wire.IsKind(err, wire.NotFound) && folder != cmp.Or(q.Root, t.workspace) {
		return wire.GlobResult{}, nil // a folder of the pattern that is not there holds no file
	}
	if err != nil {
		return wire.GlobResult{}, err
	}
	defer w.close()
	return w.glob(ctx, match, limit, strings.Contains(q.Pattern, ".git"))
}

// worktrees reports whether a folder holds worktrees of agents: copies of what is searched already.
func worktrees(rel string) bool {
	return filepath.Base(rel) == "worktrees" && filepath.Base(filepath.Dir(rel)) == ".xbot"
}

func (w *walker) glob(ctx context.Context, wanted *pattern.Pattern, limit int, git bool) (wire.GlobResult, error) {
	ctx, cancel := context.WithTimeout(ctx, globTime)
	defer cancel()
	type file struct {
		path string
		time time.Time
	}
	var files []file
	enter := func(rel string) bool {
		return (git || filepath.Base(rel) != ".git") && !worktrees(rel) && wanted.MayHold(rel)
	}
	complete, err := w.walk(ctx, enter, func(rel string, d fs.DirEntry) error {
		if !wanted.Match(rel) {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil // gone
		}
		files = append(files, file{filepath.Join(w.path, rel), info.ModTime()})
		if len(files) >= maxGlob {
			return errEnough
		}
		return nil
	})
	if err != nil {
		return wire.GlobResult{}, explain(err, w.path)
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(b.time.Compare(a.time), strings.Compare(a.path, b.path))
	})
	result := wire.GlobResult{Truncated: !complete || len(files) > limit}
	for _, f := range files[:min(limit, len(files))] {
		result.Paths = append(result.Paths, f.path)
	}
	return result, nil
}
