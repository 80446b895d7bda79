package tooltest

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

const (
	maxGrepFile = 1 << 20 // bytes
	maxGrepText = 500     // characters
)

// Glob finds files by name, newest first.
func (b *Box) Glob(ctx context.Context, q sandbox.GlobQuery) (sandbox.GlobResult, error) {
	matches, err := globOf(q.Pattern)
	if err != nil {
		return sandbox.GlobResult{}, err
	}
	root := b.abs(q.Root)
	var found []sandbox.FileInfo
	err = walk(ctx, root, func(file string, info fs.FileInfo) {
		if rel, err := filepath.Rel(root, file); err == nil && matches(rel) {
			found = append(found, describe(file, info))
		}
	})
	if err != nil {
		return sandbox.GlobResult{}, err
	}
	slices.SortStableFunc(found, func(x, y sandbox.FileInfo) int { return y.ModTime.Compare(x.ModTime) })
	result := sandbox.GlobResult{Truncated: len(found) > q.Limit}
	for _, info := range found[:min(q.Limit, len(found))] {
		result.Paths = append(result.Paths, info.Path)
	}
	return result, nil
}

// Grep finds lines.
func (b *Box) Grep(ctx context.Context, q sandbox.GrepQuery) (sandbox.GrepResult, error) {
	source := q.Pattern
	if q.IgnoreCase {
		source = "(?i)" + source
	}
	pattern, err := regexp.Compile(source)
	if err != nil {
		return sandbox.GrepResult{}, fault.Errorf(fault.Invalid, "the pattern is not a regular expression: %w", err)
	}
	include, err := globOf(cmp.Or(q.Include, "*"))
	if err != nil {
		return sandbox.GrepResult{}, err
	}
	var result sandbox.GrepResult
	matches := 0
	err = walk(ctx, b.abs(q.Root), func(file string, info fs.FileInfo) {
		if matches > q.Limit || !include(filepath.Base(file)) {
			return
		}
		data, err := os.ReadFile(file)
		if err != nil || info.Size() > maxGrepFile || bytes.IndexByte(data, 0) >= 0 {
			result.Skipped++
			return
		}
		matches += grepFile(&result, file, strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), pattern, q, q.Limit-matches)
	})
	result.Truncated = matches > q.Limit
	return result, err
}

// grepFile adds at most room matches of one file with their context; it returns how many matches it saw, at most one
// more than there was room for.
func grepFile(result *sandbox.GrepResult, file string, lines []string, pattern *regexp.Regexp, q sandbox.GrepQuery, room int) int {
	seen, last := 0, -1
	for i, line := range lines {
		if !pattern.MatchString(line) {
			continue
		}
		if seen++; seen > room {
			return seen
		}
		for k := max(last+1, i-q.Context); k <= min(i+q.Context, len(lines)-1); k++ {
			runes := []rune(lines[k])
			text := string(runes[:min(len(runes), maxGrepText)])
			result.Matches = append(result.Matches, sandbox.GrepMatch{Path: file, Line: k + 1, Text: text, Match: pattern.MatchString(lines[k])})
			last = k
		}
	}
	return seen
}

func walk(ctx context.Context, root string, visit func(file string, info fs.FileInfo)) error {
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if entry.IsDir() {
			return nil
		}
		if info, err := entry.Info(); err == nil { // otherwise it vanished in the meantime
			visit(file, info)
		}
		return nil
	})
	if ctx.Err() != nil {
		return err
	}
	return kindly(err)
}

// globOf reads a pattern as the runner does.
func globOf(pattern string) (func(name string) bool, error) {
	if !doublestar.ValidatePattern(pattern) {
		return nil, fault.Errorf(fault.Invalid, "the pattern %q is not a glob", pattern)
	}
	return func(name string) bool { return doublestar.MatchUnvalidated(pattern, name) }, nil
}
