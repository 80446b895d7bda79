package web

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/document/webpage"
	"xbot/internal/fault"
	"xbot/internal/service"
	"xbot/internal/tool"
	"xbot/internal/turn/tokens"
)

// How much of a page one call shows, in tokens.
const (
	usualTokens = 4096
	maxTokens   = 30_000
)

//go:embed fetch.md
var fetchDoc string

// Pages reads pages of the web (webpage.Reader); its errors have sentences for the model.
type Pages interface {
	Read(ctx context.Context, address string) (webpage.Page, error)
}

type fetchParams struct {
	URL       string `json:"url"`
	MaxTokens int    `json:"max_tokens,omitempty"`
	Offset    int    `json:"offset,omitempty" jsonschema:"tokens to skip"`
}

type fetch struct{ pages, forStrangers Pages }

// NewFetch returns the tool Fetch. It reads a page again for each part of it. Consumers of a service read with forStrangers: no user is asked
// before their agent goes to an address that they have named.
func NewFetch(pages, forStrangers Pages) tool.Tool {
	return tool.Define("Fetch", chat.ClassRead, fetchDoc, fetch{pages, forStrangers})
}

func (fetch) Summary(p fetchParams) string {
	if p.Offset > 0 {
		return fmt.Sprintf("%s from %d", tool.OneLine(p.URL, 160), p.Offset)
	}
	return p.URL
}

func (fetch) Pattern() chat.PatternKind { return chat.PatternHost }

func (fetch) Subject(p fetchParams) string { return p.URL }

func (f fetch) Run(ctx context.Context, call tool.Call, p fetchParams) (chat.ToolResult, error) {
	if p.Offset < 0 || p.MaxTokens < 0 {
		return tool.Fail("offset and max_tokens must not be negative"), nil
	}
	most := min(p.MaxTokens, maxTokens)
	if most == 0 {
		most = usualTokens
	}
	pages := f.pages
	if service.Serves(call.Session) {
		pages = f.forStrangers
	}
	page, err := pages.Read(ctx, p.URL)
	switch {
	case err == nil:
		r := part(page, p.Offset, most)
		if !r.IsError {
			r.Sources = listed(chat.WebSource{URL: page.URL, Title: page.Title})
		}
		return r, nil
	case ctx.Err() != nil:
		return chat.ToolResult{}, err
	case fault.Is(err, fault.Unavailable):
		return tool.Fail("%s", err), nil // a page that cannot be had is no reason to run the call again
	}
	return tool.FromError(err)
}

// part shows so many tokens of a page from an offset on, with its source and how it continues.
func part(page webpage.Page, offset, most int) chat.ToolResult {
	from := tokens.Skip(page.Text, offset)
	if offset > 0 && from == len(page.Text) {
		return tool.Fail("offset %d is behind the end: the page has %s", offset, tool.Count(tokens.Count(page.Text), "token"))
	}
	to := tokens.Skip(page.Text, offset+most)
	text := page.Text[from:to]
	if offset == 0 && page.Title != "" && !strings.HasPrefix(strings.TrimLeft(text, "# "), page.Title) {
		text = "Title: " + page.Title + "\n\n" + text
	}
	out := []string{tool.Marked("page", text)}
	if to < len(page.Text) {
		rest := max(1, tokens.Count(page.Text)-offset-most)
		out = append(out, fmt.Sprintf("About %s are left; offset=%d shows them.", tool.Count(rest, "token"), offset+most))
	}
	if page.Note != "" {
		out = append(out, page.Note)
	}
	return tool.Text(strings.Join(append(out, "Source: "+page.URL), "\n"))
}
