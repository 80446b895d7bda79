package file

import (
	"context"
	_ "embed"
	"errors"
	"path"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

// Limits of Glob.
const (
	maxGlobPaths = 200
	globTime     = 30 * time.Second
)

//go:embed glob.md
var globDoc string

type globParams struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path,omitempty" jsonschema:"Folder to search."`
}

type glob struct{}

// NewGlob returns the tool Glob.
func NewGlob() tool.Tool {
	return tool.DefineQuick("Glob", chat.ClassRead, globDoc, glob{}, tool.OnRunner)
}

func (glob) Summary(p globParams) string { return path.Join(p.Path, p.Pattern) }

func (glob) Run(ctx context.Context, call tool.Call, p globParams) (chat.ToolResult, error) {
	folder, pattern := splitGlob(p.Pattern)
	if pattern == "" {
		return tool.Fail("pattern is empty; give a glob such as **/*.go"), nil
	}
	root, err := searchRoot(call, p.Path, folder)
	if err != nil {
		return tool.FromError(err)
	}
	found, err := call.Box.Glob(ctx, sandbox.GlobQuery{Pattern: pattern, Root: root, Limit: maxGlobPaths, Time: globTime})
	if err != nil {
		return searchError(err, globTime)
	}
	if len(found.Paths) == 0 {
		return tool.Textf("No file below %s matches %s.", root, pattern), nil
	}
	names := make([]string, 0, len(found.Paths)+1)
	for _, name := range found.Paths {
		names = append(names, call.Short(name))
	}
	if found.Truncated {
		names = append(names, "(more files match; narrow the pattern)")
	}
	return tool.Text(strings.Join(names, "\n")), nil
}

// splitGlob takes the folders in front of the first wildcard off a pattern, so that only they are walked, and so that
// an absolute pattern works.
func splitGlob(pattern string) (folder, rest string) {
	pattern = strings.TrimSpace(pattern)
	wild := strings.IndexAny(pattern, `*?[{\`)
	if wild < 0 {
		wild = len(pattern)
	}
	cut := strings.LastIndexByte(pattern[:wild], '/') + 1
	return pattern[:cut], pattern[cut:]
}

// searchRoot returns where a search starts: the folder of the pattern, below the given path, below the working folder.
func searchRoot(call tool.Call, given, folder string) (string, error) {
	switch {
	case path.IsAbs(folder):
		given = folder
	case given == "" && folder == "":
		return call.Dir(), nil
	case given == "":
		given = folder
	default:
		given = path.Join(given, folder)
	}
	return call.Path(given)
}

// searchError turns the end of a search's own time into a result.
func searchError(err error, limit time.Duration) (chat.ToolResult, error) {
	if errors.Is(err, sandbox.ErrSlow) {
		return tool.Fail("the search took longer than %.0f s; search a smaller folder", limit.Seconds()), nil
	}
	return tool.FromError(err)
}
