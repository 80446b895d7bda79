package file

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

// Limits of Grep.
const (
	maxGrepMatches = 200
	maxGrepLine    = 500 // characters
	maxGrepContext = 10  // lines
	maxGrepBytes   = 30_000
	grepTime       = 60 * time.Second
)

//go:embed grep.md
var grepDoc string

type grepParams struct {
	Pattern      string `json:"pattern"`
	Path         string `json:"path,omitempty" jsonschema:"File or folder."`
	Include      string `json:"include,omitempty" jsonschema:"File names, e.g. *.{ts,tsx}"`
	IgnoreCase   bool   `json:"ignore_case,omitempty"`
	ContextLines int    `json:"context_lines,omitempty" jsonschema:"Lines around each match, at most 10."`
}

type grep struct{}

// NewGrep returns the tool Grep.
func NewGrep() tool.Tool {
	return tool.DefineQuick("Grep", chat.ClassRead, grepDoc, grep{}, tool.OnRunner)
}

func (grep) Summary(p grepParams) string {
	if where := strings.Trim(p.Path+" "+p.Include, " "); where != "" {
		return p.Pattern + " in " + where
	}
	return p.Pattern
}

func (grep) Run(ctx context.Context, call tool.Call, p grepParams) (chat.ToolResult, error) {
	if p.Pattern == "" {
		return tool.Fail("pattern is empty"), nil
	}
	root, err := searchRoot(call, p.Path, "")
	if err != nil {
		return tool.FromError(err)
	}
	found, err := call.Box.Grep(ctx, sandbox.GrepQuery{
		Pattern:    p.Pattern,
		Root:       root,
		Include:    p.Include,
		IgnoreCase: p.IgnoreCase,
		Context:    min(max(p.ContextLines, 0), maxGrepContext),
		Limit:      maxGrepMatches,
		Time:       grepTime,
	})
	if err != nil {
		return searchError(err, grepTime)
	}
	return tool.Text(describeMatches(call, root, p.Pattern, found)), nil
}

func describeMatches(call tool.Call, root, pattern string, found sandbox.GrepResult) string {
	if len(found.Matches) == 0 {
		return fmt.Sprintf("Nothing in %s matches %s.%s", root, tool.OneLine(pattern, 100), skipped(found.Skipped))
	}
	var out strings.Builder
	file, last, cut := "", 0, found.Truncated
	withContext := slices.ContainsFunc(found.Matches, func(m sandbox.GrepMatch) bool { return !m.Match })
	for _, match := range found.Matches {
		if out.Len() > maxGrepBytes {
			cut = true
			break
		}
		switch {
		case match.Path != file:
			file = match.Path
			fmt.Fprintf(&out, "%s\n", call.Short(file))
		case withContext && match.Line > last+1:
			out.WriteString("--\n")
		}
		last = match.Line
		mark := '-'
		if match.Match {
			mark = ':'
		}
		fmt.Fprintf(&out, "%d%c%s\n", match.Line, mark, tool.Cut(match.Text, maxGrepLine))
	}
	if cut {
		out.WriteString("(more lines match; narrow the pattern or the folder)")
	}
	return strings.TrimSuffix(out.String(), "\n") + skipped(found.Skipped)
}

func skipped(files int) string {
	if files == 0 {
		return ""
	}
	return fmt.Sprintf("\n(passed over %s: binary or over 1 MiB)", tool.Count(files, "file"))
}
