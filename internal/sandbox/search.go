package sandbox

import (
	"context"

	"xbot/runner/wire"
)

// Glob finds files by name, newest first.
func (r *Runner) Glob(ctx context.Context, q GlobQuery) (GlobResult, error) {
	found, err := askFor[wire.GlobResult](ctx, r, q.Time, wire.OpGlob, wire.Glob{Pattern: q.Pattern, Root: q.Root, Limit: q.Limit})
	return GlobResult{Paths: found.Paths, Truncated: found.Truncated}, err
}

// Grep finds lines by a regular expression, in the order of paths and lines.
func (r *Runner) Grep(ctx context.Context, q GrepQuery) (GrepResult, error) {
	found, err := askFor[wire.GrepResult](ctx, r, q.Time, wire.OpGrep, wire.Grep{
		Pattern: q.Pattern, Root: q.Root, Include: q.Include, IgnoreCase: q.IgnoreCase, Context: q.Context, Limit: q.Limit,
	})
	result := GrepResult{Truncated: found.Truncated, Skipped: found.Skipped}
	for _, m := range found.Matches {
		result.Matches = append(result.Matches, GrepMatch{Path: m.Path, Line: m.Line, Text: m.Text, Match: m.Match})
	}
	return result, err
}
