package guestfs

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/runner/pattern"
	"xbot/runner/wire"
)

// Bounds of a search in documents of which only some are seen: each file is searched separately, so that what is not seen changes no answer.
const (
	maxSearched = 1000 // files
	searchTasks = 8    // at once
)

// area is a folder of a file system in which something is searched.
type area struct {
	place
	real string
}

// areas are the folders below a path, and where they are. A file is one, too: of itself.
func (r *fileSystem) areas(ctx context.Context, root place, reads bool) ([]area, error) {
	var wanted []place
	if root.mount != nil {
		wanted = []place{root}
	} else {
		for i := range r.mounts {
			wanted = append(wanted, place{path: "/" + r.mounts[i].name, mount: &r.mounts[i]})
		}
	}
	var out []area
	for _, p := range wanted {
		if reads && !p.mount.reads || !p.mount.opens("") {
			continue
		}
		real, _, err := r.look(ctx, p)
		if fault.Is(err, fault.NotFound) && p.rel == "" {
			continue // nothing was put there yet
		}
		if err != nil {
			return nil, err
		}
		out = append(out, area{p, real})
	}
	return out, nil
}

// Glob implements sandbox.Sandbox. Each folder of the file system has its newest files first.
func (r *fileSystem) Glob(ctx context.Context, q sandbox.GlobQuery) (sandbox.GlobResult, error) {
	ctx = sandbox.Unnamed(ctx)
	root, err := r.find(q.Root)
	if err != nil {
		return sandbox.GlobResult{}, err
	}
	text := q.Pattern
	if path.IsAbs(text) {
		root, text = place{path: "/"}, text[1:]
	}
	wanted, err := compile(text)
	if err != nil {
		return sandbox.GlobResult{}, err
	}
	areas, err := r.globbed(ctx, root, text)
	if err != nil {
		return sandbox.GlobResult{}, err
	}
	var out sandbox.GlobResult
	for _, a := range areas {
		found, more, err := r.list(ctx, a, q.Time)
		if err != nil {
			return sandbox.GlobResult{}, err
		}
		out.Truncated = out.Truncated || more
		for _, file := range found {
			if wanted.Match(strings.TrimPrefix(strings.TrimPrefix(file, root.path), "/")) {
				out.Paths = append(out.Paths, file)
			}
		}
	}
	if limit := cmp.Or(q.Limit, wire.DefaultFound); len(out.Paths) > limit {
		out.Paths, out.Truncated = out.Paths[:limit], true
	}
	return r.withoutLinks(ctx, out)
}

// globbed are the areas in which a pattern can match. A folder of the pattern that is not there holds no file.
func (r *fileSystem) globbed(ctx context.Context, root place, text string) ([]area, error) {
	fixed, _ := pattern.FixedPrefix(text)
	if fixed == "" {
		return r.areas(ctx, root, false)
	}
	at, err := r.find(path.Join(root.path, fixed))
	if err != nil {
		return nil, nil
	}
	out, err := r.areas(ctx, at, false)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return out, err
}

// withoutLinks leaves out what is a link: a runner's search names them.
func (r *fileSystem) withoutLinks(ctx context.Context, found sandbox.GlobResult) (sandbox.GlobResult, error) {
	folders := map[string]map[string]bool{} // what each holds
	out := sandbox.GlobResult{Truncated: found.Truncated}
	for _, file := range found.Paths {
		if p, err := r.find(file); err == nil && p.mount != nil && p.mount.volume.objects != nil {
			out.Paths = append(out.Paths, file)
			continue
		}
		dir := path.Dir(file)
		if folders[dir] == nil {
			entries, err := r.ReadDir(ctx, dir)
			if err != nil && !fault.Is(err, fault.NotFound) {
				return sandbox.GlobResult{}, err
			}
			folders[dir] = map[string]bool{}
			for _, e := range entries {
				folders[dir][e.Path] = true
			}
		}
		if folders[dir][file] {
			out.Paths = append(out.Paths, file)
		}
	}
	return out, nil
}

// compile reads a pattern. One with .. in it is refused: it is not about what lies below.
func compile(text string) (*pattern.Pattern, error) {
	if slices.Contains(strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune("/{},", c) }), "..") || strings.ContainsFunc(text, func(c rune) bool { return c != '\\' && odd(c) }) {
		return nil, fault.Errorf(fault.Invalid, "a pattern has no .. and no control characters")
	}
	wanted, err := pattern.Compile(text)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the pattern cannot be read: it has 1 to 1024 bytes, at most 64 alternatives, and its brackets are closed")
	}
	return wanted, nil
}

// list names the files of an area that are seen, as paths of the file system.
func (r *fileSystem) list(ctx context.Context, a area, within time.Duration) (found []string, more bool, err error) {
	all, err := a.mount.volume.sandbox().Glob(ctx, sandbox.GlobQuery{Pattern: "**", Root: a.real, Limit: wire.MaxFound, Time: within})
	if fault.Is(err, fault.Invalid) && !errors.Is(err, sandbox.ErrSlow) { // it is a file
		return nil, false, nil
	}
	if err != nil {
		return nil, false, translateError(err, a.path)
	}
	for _, file := range all.Paths {
		rel, ok := strings.CutPrefix(file, a.real+"/")
		p, err := r.find(path.Join(a.path, rel))
		if ok && err == nil && p.path == path.Join(a.path, rel) && p.mount.sees(p.rel) {
			found = append(found, p.path)
		}
	}
	return found, all.Truncated, nil
}

// Grep implements sandbox.Sandbox. What is not read is not searched.
func (r *fileSystem) Grep(ctx context.Context, q sandbox.GrepQuery) (sandbox.GrepResult, error) {
	ctx = sandbox.Unnamed(ctx)
	root, err := r.find(q.Root)
	if err != nil {
		return sandbox.GrepResult{}, err
	}
	if err := checkGrep(q); err != nil {
		return sandbox.GrepResult{}, err
	}
	if root.mount != nil && !root.mount.reads {
		return sandbox.GrepResult{}, nil
	}
	areas, err := r.areas(ctx, root, true)
	if err != nil {
		return sandbox.GrepResult{}, err
	}
	q.Limit = cmp.Or(q.Limit, wire.DefaultFound)
	var out sandbox.GrepResult
	for _, a := range areas {
		left := q
		if left.Limit = q.Limit - count(out); left.Limit <= 0 {
			out.Truncated = true
			break
		}
		some, err := r.grep(ctx, a, left)
		if err != nil {
			return sandbox.GrepResult{}, err
		}
		out.Matches = append(out.Matches, some.Matches...)
		out.Truncated, out.Skipped = out.Truncated || some.Truncated, out.Skipped+some.Skipped
	}
	return out, nil
}

func checkGrep(q sandbox.GrepQuery) error {
	if _, err := pattern.CompileExpression(q.Pattern); err != nil {
		return fault.Errorf(fault.Invalid, "the regular expression cannot be read: %w", err)
	}
	if q.Context < 0 || q.Context > wire.MaxContext || q.Limit < 0 || q.Limit > wire.MaxFound {
		return fault.Errorf(fault.Invalid, "at most %d lines around a match, and %d matches", wire.MaxContext, wire.MaxFound)
	}
	if q.Include == "" {
		return nil
	}
	_, err := compile(q.Include)
	return err
}

func count(g sandbox.GrepResult) (n int) {
	for _, m := range g.Matches {
		if m.Match {
			n++
		}
	}
	return n
}

// grep searches an area: at once where all of it is seen, else each file that is.
func (r *fileSystem) grep(ctx context.Context, a area, q sandbox.GrepQuery) (sandbox.GrepResult, error) {
	if a.mount.all {
		return r.grepAt(ctx, a, q)
	}
	files, more, err := r.list(ctx, a, q.Time)
	if err != nil {
		return sandbox.GrepResult{}, err
	}
	if len(files) == 0 && a.rel != "" && a.mount.sees(a.rel) {
		files = []string{a.path} // it is a file
	}
	files = slices.DeleteFunc(files, func(file string) bool { return !included(q.Include, strings.TrimPrefix(file, a.path+"/")) })
	slices.Sort(files)
	if len(files) > maxSearched {
		files, more = files[:maxSearched], true
	}
	return r.grepEach(ctx, files, q, more)
}

// included is how a runner understands what a search is limited to.
func included(include, rel string) bool {
	if include == "" {
		return true
	}
	wanted, err := compile(include)
	if err != nil {
		return false
	}
	if strings.Contains(include, "/") {
		return wanted.Match(rel)
	}
	return wanted.Match(path.Base(rel))
}

// grepEach searches files, some at a time, in their order.
func (r *fileSystem) grepEach(ctx context.Context, files []string, q sandbox.GrepQuery, more bool) (sandbox.GrepResult, error) {
	out := sandbox.GrepResult{Truncated: more}
	q.Include = ""
	for now := range slices.Chunk(files, searchTasks) {
		found, errs := make([]sandbox.GrepResult, len(now)), make([]error, len(now))
		var group sync.WaitGroup
		for i, file := range now {
			group.Go(func() { found[i], errs[i] = r.grepFile(ctx, file, q) })
		}
		group.Wait()
		for i, some := range found {
			if errs[i] != nil && !fault.Is(errs[i], fault.NotFound) {
				return sandbox.GrepResult{}, errs[i]
			}
			if full := add(&out, some, q.Limit); full {
				return out, nil
			}
		}
	}
	return out, nil
}

// add puts what was found to the rest. full reports that no more matches are wanted.
func add(all *sandbox.GrepResult, some sandbox.GrepResult, limit int) (full bool) {
	all.Truncated, all.Skipped = all.Truncated || some.Truncated, all.Skipped+some.Skipped
	for _, m := range some.Matches {
		if m.Match && count(*all) >= limit {
			all.Truncated = true
			return true
		}
		all.Matches = append(all.Matches, m)
	}
	return false
}

func (r *fileSystem) grepFile(ctx context.Context, file string, q sandbox.GrepQuery) (sandbox.GrepResult, error) {
	p, real, _, err := r.file(ctx, file)
	if err != nil {
		return sandbox.GrepResult{}, err
	}
	return r.grepAt(ctx, area{p, real}, q)
}

// grepAt searches what a runner has at a place. Paths of other places are left out.
func (r *fileSystem) grepAt(ctx context.Context, a area, q sandbox.GrepQuery) (sandbox.GrepResult, error) {
	q.Root = a.real
	found, err := a.mount.volume.sandbox().Grep(ctx, q)
	if err != nil {
		return sandbox.GrepResult{}, translateError(err, a.path)
	}
	out := sandbox.GrepResult{Truncated: found.Truncated, Skipped: found.Skipped}
	for _, m := range found.Matches {
		rel, ok := strings.CutPrefix(m.Path, a.real+"/")
		if m.Path == a.real {
			rel, ok = "", true
		}
		p, err := r.find(path.Join(a.path, rel))
		if ok && err == nil && p.path == path.Join(a.path, rel) && p.mount.sees(p.rel) {
			m.Path = p.path
			out.Matches = append(out.Matches, m)
		}
	}
	return out, nil
}
