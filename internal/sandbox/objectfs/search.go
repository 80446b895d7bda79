package objectfs

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/storage"
	"xbot/runner/grep"
	"xbot/runner/pattern"
	"xbot/runner/wire"
)

const (
	// searchTime bounds a search, as a runner does, and searchTasks how many files are read at once.
	searchTime  = 60 * time.Second
	searchTasks = 8
)

// Glob finds files by name, newest first.
func (f *FileSystem) Glob(ctx context.Context, q sandbox.GlobQuery) (sandbox.GlobResult, error) {
	limit, err := grep.Limit(q.Limit)
	if err != nil {
		return sandbox.GlobResult{}, fault.Errorf(fault.Invalid, "%w", err)
	}
	root := path.Clean("/" + q.Root)
	text := q.Pattern
	if path.IsAbs(text) {
		root, text = "/", text[1:]
	}
	wanted, err := pattern.Compile(text)
	if err != nil {
		return sandbox.GlobResult{}, fault.Errorf(fault.Invalid, "%w", err)
	}
	ctx, cancel := withLimit(ctx, q.Time)
	defer cancel()
	all, err := f.below(ctx, root)
	if err != nil {
		return sandbox.GlobResult{}, searchError(ctx, err)
	}
	slices.SortFunc(all, compareAge)
	var out sandbox.GlobResult
	for _, o := range all {
		switch name := f.name(o.Key); {
		case !wanted.Match(strings.TrimPrefix(strings.TrimPrefix(name, root), "/")):
		case len(out.Paths) == limit:
			out.Truncated = true
		default:
			out.Paths = append(out.Paths, name)
		}
	}
	return out, nil
}

// below lists the files of a folder. Invalid: it is a file. NotFound: nothing is there.
func (f *FileSystem) below(ctx context.Context, root string) ([]storage.Object, error) {
	key, err := f.key(root)
	if err != nil {
		return nil, err
	}
	all, err := f.all(ctx, key, wire.MaxDirEntries)
	if err != nil || len(all) > 0 || key == "" {
		return all, err
	}
	if _, err := f.store.Stat(ctx, key); !fault.Is(err, fault.NotFound) {
		return nil, errors.Join(err, fault.Errorf(fault.Invalid, "%s is no folder", root))
	}
	return nil, missing(root)
}

// searchError is sandbox.ErrSlow where the time of a search caused an error.
func searchError(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), sandbox.ErrSlow) {
		return sandbox.ErrSlow
	}
	return err
}

// Grep finds lines by a regular expression, in the order of paths and lines. Each file is checked against its digest.
func (f *FileSystem) Grep(ctx context.Context, q sandbox.GrepQuery) (sandbox.GrepResult, error) {
	search, err := grep.New(wire.Grep{Pattern: q.Pattern, Include: q.Include, IgnoreCase: q.IgnoreCase, Context: q.Context, Limit: q.Limit})
	if err != nil {
		return sandbox.GrepResult{}, fault.Errorf(fault.Invalid, "%w", err)
	}
	limited, cancel := withLimit(ctx, q.Time)
	defer cancel()
	limited, cancel = context.WithTimeout(limited, searchTime)
	defer cancel()
	files, err := f.searchFiles(limited, q.Root, search)
	if err == nil {
		err = f.search(limited, files, search)
	}
	switch {
	case errors.Is(context.Cause(limited), sandbox.ErrSlow):
		return sandbox.GrepResult{}, sandbox.ErrSlow
	case ctx.Err() == nil && limited.Err() != nil:
		search.Truncate()
	case err != nil && !errors.Is(err, grep.ErrEnough):
		return sandbox.GrepResult{}, err
	}
	found := search.Result()
	out := sandbox.GrepResult{Truncated: found.Truncated, Skipped: found.Skipped}
	for _, m := range found.Matches {
		out.Matches = append(out.Matches, sandbox.GrepMatch{Path: m.Path, Line: m.Line, Text: m.Text, Match: m.Match})
	}
	return out, nil
}

// searchFiles lists the files of a search: those of a folder that it includes, or the one that it names.
func (f *FileSystem) searchFiles(ctx context.Context, name string, search *grep.Search) ([]storage.Object, error) {
	root := path.Clean("/" + name)
	files, err := f.below(ctx, root)
	if fault.Is(err, fault.Invalid) {
		key, err := f.file(root)
		if err != nil {
			return nil, err
		}
		o, err := f.store.Stat(ctx, key)
		return []storage.Object{o}, err
	}
	files = slices.DeleteFunc(files, func(o storage.Object) bool {
		return !search.Included(strings.TrimPrefix(strings.TrimPrefix(f.name(o.Key), root), "/"))
	})
	return files, err
}

// search reads files, some at a time, and searches them in their order.
func (f *FileSystem) search(ctx context.Context, files []storage.Object, search *grep.Search) error {
	for now := range slices.Chunk(files, searchTasks) {
		bodies, errs := make([][]byte, len(now)), make([]error, len(now))
		var group sync.WaitGroup
		for i, o := range now {
			if o.Size <= wire.MaxGrepFile {
				group.Go(func() { bodies[i], _, errs[i] = storage.Read(ctx, f.store, o.Key, "", wire.MaxGrepFile) })
			}
		}
		group.Wait()
		for i, o := range now {
			switch {
			case o.Size > wire.MaxGrepFile, fault.Is(errs[i], fault.NotFound), fault.Is(errs[i], fault.TooLarge), fault.Is(errs[i], fault.Internal):
				search.Skip()
				continue
			case errs[i] != nil:
				return errs[i]
			}
			if err := search.File(ctx, bytes.NewReader(bodies[i]), f.name(o.Key)); err != nil {
				return err
			}
		}
	}
	return nil
}
