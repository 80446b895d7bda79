package files

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/sandbox"
)

// Bounds of a search.
const (
	maxFound   = 50
	searchTime = 3 * time.Second
)

// FoundFiles are files whose paths have some words in them.
type FoundFiles struct {
	Folder    string   `json:"folder" doc:"The session's."`
	Paths     []string `json:"paths" doc:"Relative to the folder; those that were changed last first."`
	Truncated bool     `json:"truncated" doc:"There may be more."`
}

func (a *Endpoints) registerSearch(h huma.API) {
	onRunner(a, h, huma.Operation{
		OperationID: "search-files", Method: http.MethodGet, Path: filesPath + "/search", Summary: "Find files in the session's folder by a part of their path",
		Description: "Case-insensitive. Returns at most 50 files, found within three seconds.",
	}, func(ctx context.Context, p location, in *struct {
		endpoint.Key
		Query string `query:"q" maxLength:"100" doc:"Part of a file's path below the folder; without it, those that were changed last."`
	}) (FoundFiles, error) {
		return p.search(ctx, in.Query)
	})
}

func (p location) search(ctx context.Context, query string) (FoundFiles, error) {
	base, err := p.box.Stat(ctx, p.base)
	if err != nil {
		return FoundFiles{}, err
	}
	result, err := p.box.Glob(ctx, sandbox.GlobQuery{Pattern: patternOf(query), Root: p.base, Limit: maxFound, Time: searchTime})
	found := FoundFiles{Folder: p.base, Paths: make([]string, 0, len(result.Paths)), Truncated: result.Truncated}
	for _, file := range result.Paths {
		found.Paths = append(found.Paths, strings.TrimPrefix(strings.TrimPrefix(file, base.Real), "/"))
	}
	return found, err
}

// patternOf finds paths that hold a query, in small letters or capitals.
func patternOf(query string) string {
	var b strings.Builder
	b.WriteString("**/*")
	for _, r := range strings.Trim(query, "/") {
		lower, upper := unicode.ToLower(r), unicode.ToUpper(r)
		switch {
		case lower != upper:
			b.WriteString("[" + string(lower) + string(upper) + "]")
		case strings.ContainsRune(`*?[]\`, r):
			b.WriteString(`\` + string(r))
		case strings.ContainsRune(`{}`, r): // of which no pattern can name one
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString("*")
	return b.String()
}
