// Package grep finds the lines of files that match a regular expression, for folders of runners and for object storage.
package grep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"xbot/runner/charset"
	"xbot/runner/pattern"
	"xbot/runner/wire"
)

// ErrEnough ends a search early: no more matches fit, or its time is up.
var ErrEnough = errors.New("enough")

// Search is one search. It is not safe for concurrent use.
type Search struct {
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

// New returns a search. Its Root is not used.
func New(q wire.Grep) (*Search, error) {
	limit, err := Limit(q.Limit)
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
	g := &Search{query: q, limit: limit}
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

// Included matches the name, or the path if the include pattern has folders.
func (g *Search) Included(rel string) bool {
	switch {
	case g.include == nil:
		return true
	case strings.Contains(g.query.Include, "/"):
		return g.include.Match(rel)
	}
	return g.include.Match(path.Base(rel))
}

// File adds the matches of one file. It returns ErrEnough if no more fit, or the time is up.
func (g *Search) File(ctx context.Context, f io.Reader, path string) error {
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
			return ErrEnough
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
			return ErrEnough
		}
	}
	return nil
}

// finder returns a function that reports whether a line has a match or a part of one. It is asked for one line after the other.
func (g *Search) finder(ctx context.Context, data []byte) func(line []byte) bool {
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

func (g *Search) add(path string, index int, line []byte, match bool) {
	text := shorten(string(line))
	g.bytes += len(text) + len(path)
	g.result.Matches = append(g.result.Matches, wire.GrepMatch{Path: path, Line: index + 1, Text: text, Match: match})
}

func (g *Search) promote(path string, index int) {
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

// Skip counts a file that could not be read.
func (g *Search) Skip() { g.result.Skipped++ }

// Truncate records that not all files were searched.
func (g *Search) Truncate() { g.result.Truncated = true }

// Result returns what was found so far.
func (g *Search) Result() wire.GrepResult { return g.result }

// Limit returns how many files or matches a search may find: 0 means wire.DefaultFound.
func Limit(limit int) (int, error) {
	if limit < 0 || limit > wire.MaxFound {
		return 0, wire.Errorf(wire.Invalid, "the limit must be between 0 and %d", wire.MaxFound)
	}
	return cmp.Or(limit, wire.DefaultFound), nil
}
