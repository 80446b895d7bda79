package files

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"xbot/runner/charset"
	"xbot/runner/pattern"
	"xbot/runner/wire"
)

// grepTime bounds a Grep.
const grepTime = 60 * time.Second

// grep is one search under way.
type grep struct {
	query   wire.Grep
	line    *pattern.Expression // for one line
	whole   *pattern.Expression // for a whole file, to skip files without a match; nil if it could miss one
	across  bool                // the expression has line ends: its matches are those of whole
	include *pattern.Pattern
	limit   int
	found   int
	bytes   int
	result  wire.GrepResult
}

// Grep finds lines by a regular expression, in the order of paths and lines. Folders named .git and worktrees of
// agents are left out unless the search starts in one. What was not looked at in time makes the result Truncated.
func (t *Tree) Grep(ctx context.Context, q wire.Grep) (wire.GrepResult, error) {
	g, err := newGrep(q)
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
		if !d.Type().IsRegular() || !g.included(rel) {
			return nil
		}
		f, err := w.root.OpenFile(rel, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
		if err != nil {
			g.result.Skipped++
			return nil
		}
		defer f.Close()
		if w.isClosed(f) {
			return nil
		}
		return g.search(ctx, f, filepath.Join(w.path, rel))
	})
	g.result.Truncated = g.result.Truncated || !complete
	return g.result, explain(err, root)
}

func newGrep(q wire.Grep) (*grep, error) {
	limit, err := found(q.Limit)
	if err != nil {
		return nil, err
	}
	if q.Context < 0 || q.Context > wire.MaxContext {
		return nil, wire.Errorf(wire.Invalid, "the context must be between 0 and %d lines", wire.MaxContext)
	}
	flags := ""
	if q.IgnoreCase {
		flags = "(?i)"
	}
	g := &grep{query: q, limit: limit}
	if g.line, err = pattern.CompileExpression(flags + q.Pattern); err != nil {
		return nil, wire.Errorf(wire.Invalid, "the regular expression cannot be read: %v", err)
	}
	if !strings.Contains(q.Pattern, `\A`) && !strings.Contains(q.Pattern, `\z`) && !strings.Contains(q.Pattern, "(?") {
		if g.whole, err = pattern.CompileExpression("(?m)" + flags + q.Pattern); err != nil {
			g.whole = nil // the line's expression is enough
		}
	}
	if pattern.CrossesLines(q.Pattern) {
		if g.whole, err = pattern.CompileExpression("(?m)" + flags + q.Pattern); err != nil {
			return nil, wire.Errorf(wire.Invalid, "the regular expression cannot be read: %v", err)
		}
		g.across = true
	}
	if q.Include != "" {
		if g.include, err = pattern.Compile(q.Include); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// included matches the name, or the path if the include pattern has folders.
func (g *grep) included(rel string) bool {
	switch {
	case g.include == nil:
		return true
	case strings.Contains(g.query.Include, "/"):
		return g.include.Match(rel)
	}
	return g.include.Match(filepath.Base(rel))
}

func (t *Tree) grepFile(ctx context.Context, g *grep, path string) (wire.GrepResult, error) {
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
	if err := g.search(ctx, f, p.path); err != nil && !errors.Is(err, errEnough) {
		return wire.GrepResult{}, explain(err, p.path)
	}
	return g.result, nil
}

// search adds the matches of one file. It returns errEnough if no more fit, or the time is up.
func (g *grep) search(ctx context.Context, f *os.File, path string) error {
	data, err := io.ReadAll(io.LimitReader(f, wire.MaxGrepFile+1))
	if err != nil || len(data) > wire.MaxGrepFile {
		g.result.Skipped++
		return nil
	}
	data, ok := charset.UTF8(data)
	if !ok || g.across && !g.whole.Fits(len(data)) {
		g.result.Skipped++
		return nil
	}
	if g.whole != nil && g.whole.Fits(len(data)) && !g.whole.Match(data) {
		return nil
	}
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	finds := g.finder(ctx, data)
	shown := 0 // lines before this index are in the result
	for i, line := range lines {
		matches := finds(line)
		if ctx.Err() != nil || matches && g.found >= g.limit {
			g.result.Truncated = true
			return errEnough
		}
		if !matches {
			continue
		}
		g.found++
		for n := max(shown, i-g.query.Context); n < i; n++ {
			g.add(path, n, lines[n], false)
		}
		if shown > i {
			g.promote(path, i) // it was shown as context of the match before
		} else {
			g.add(path, i, line, true)
		}
		shown = max(shown, i+1)
		for ; shown <= min(i+g.query.Context, len(lines)-1); shown++ {
			g.add(path, shown, lines[shown], false)
		}
		if g.bytes > wire.MaxGrepBytes {
			g.result.Truncated = true
			return errEnough
		}
	}
	return nil
}

// finder returns a function that reports whether a line has a match or a part of one. It is asked for one line after the other.
func (g *grep) finder(ctx context.Context, data []byte) func(line []byte) bool {
	if !g.across {
		return func(line []byte) bool { return g.line.Finds(ctx, line) }
	}
	matches, start := g.whole.FindAllIndex(data, g.limit+1), 0
	return func(line []byte) bool {
		begin, end := start, start+len(line)
		start = end + 1
		for len(matches) > 0 && matches[0][1] <= begin && matches[0][0] < begin {
			matches = matches[1:]
		}
		return len(matches) > 0 && matches[0][0] <= end
	}
}

func (g *grep) add(path string, index int, line []byte, match bool) {
	text := shorten(string(line))
	g.bytes += len(text) + len(path)
	g.result.Matches = append(g.result.Matches, wire.GrepMatch{Path: path, Line: index + 1, Text: text, Match: match})
}

func (g *grep) promote(path string, index int) {
	for i := len(g.result.Matches) - 1; i >= 0; i-- {
		if m := &g.result.Matches[i]; m.Path == path && m.Line == index+1 {
			m.Match = true
			return
		}
	}
}

// shorten cuts a line to wire.MaxGrepText characters.
func shorten(text string) string {
	if len(text) <= wire.MaxGrepText {
		return text
	}
	end := 0
	for range wire.MaxGrepText {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
		if end == len(text) {
			break
		}
	}
	return text[:end]
}
