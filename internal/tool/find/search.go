// Package find is the tool by which a model finds the tools that it is not shown.
package find

import (
	"context"
	_ "embed"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
)

//go:embed searchtools.md
var doc string

// Bounds of a search.
const (
	usual      = 5
	most       = 20     // tools of one result (facts/xbot.md)
	maxSchemas = 12_000 // bytes of descriptions and schemas of one result; what more is found is named
)

// Catalog returns the tools of conversations.
type Catalog interface {
	Of(ctx context.Context, key chat.SessionKey) (*toolset.Set, error)
	Use(ctx context.Context, key chat.SessionKey, specs ...tool.Spec) error
}

// Finder finds tools.
type Finder interface {
	Find(ctx context.Context, query string, among []tool.Spec, n int) []tool.Spec
}

type params struct {
	Query string `json:"query" jsonschema:"what it should do, or its name"`
	TopK  int    `json:"top_k,omitempty"`
}

type search struct {
	catalog Catalog
	finder  Finder
}

// New returns the tool search_tools.
func New(catalog Catalog, finder Finder) tool.Tool {
	return tool.DefineQuick(toolset.Search, chat.ClassIdempotent, doc, search{catalog, finder}, tool.Inward, tool.Planning)
}

func (search) Summary(p params) string { return p.Query }

func (s search) Run(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	if strings.TrimSpace(p.Query) == "" {
		return tool.Fail("query is empty; say what the tool should do"), nil
	}
	if p.TopK <= 0 {
		p.TopK = usual
	}
	set, err := s.catalog.Of(ctx, call.Session)
	if err != nil {
		return tool.FromError(err)
	}
	found := s.finder.Find(ctx, p.Query, set.Optional(), min(p.TopK, most))
	if len(found) == 0 {
		return tool.Textf("no tool fits %q; these can be found: %s", tool.Cut(p.Query, 60), toolset.Groups(set.Optional())), nil
	}
	if err := s.catalog.Use(ctx, call.Session, found...); err != nil {
		return tool.FromError(err)
	}
	return tool.Text(describe(found)), nil
}

func describe(found []tool.Spec) string {
	var b strings.Builder
	b.WriteString("You can call these now:\n")
	var rest []string
	for _, s := range found {
		if b.Len()+len(s.Description)+len(s.Parameters) > maxSchemas {
			rest = append(rest, s.Name)
			continue
		}
		b.WriteString("\n## " + s.Name + "\n" + s.Description + "\n" + string(s.Parameters) + "\n")
	}
	if len(rest) > 0 {
		b.WriteString("\nand, described with your tools from now on: " + strings.Join(rest, ", ") + "\n")
	}
	return b.String()
}
