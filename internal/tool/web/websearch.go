package web

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/document/websearch"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
)

//go:embed websearch.md
var searchDoc string

// Engines search the web (websearch.Searcher); their errors have sentences for the model.
type Engines interface {
	// Offers reports whether anything can be searched for a user. It reads rows alone.
	Offers(ctx context.Context, user chat.UserID) (bool, error)
	Search(ctx context.Context, user chat.UserID, q websearch.Query) (websearch.Results, error)
}

type searchParams struct {
	Query      string `json:"query"`
	MaxResults int    `json:"max_results,omitempty"`
	Depth      string `json:"search_depth,omitempty" jsonschema:"basic (default) or advanced, which costs more"`
}

type search struct{ engines Engines }

// SearchTool is the tool that searches the web.
const SearchTool = "WebSearch"

// NewSearch returns the tool WebSearch.
func NewSearch(engines Engines) tool.Tool {
	return tool.Define(SearchTool, chat.ClassRead, searchDoc, search{engines})
}

// Searches brings WebSearch to users who have a search engine.
type Searches struct {
	engines Engines
	tool    tool.Tool
	offers  toolset.Rows[bool]
}

var _ toolset.OutsideSource = (*Searches)(nil)

// ServesOutside marks that services may be published with WebSearch.
func (*Searches) ServesOutside() {}

// NewSearches returns the source of WebSearch.
func NewSearches(engines Engines) *Searches {
	return &Searches{engines: engines, tool: NewSearch(engines)}
}

// Tools returns WebSearch, or nothing.
func (s *Searches) Tools(ctx context.Context, at toolset.Place) ([]tool.Tool, error) {
	offered, err := s.offers.At(at, func() (bool, error) { return s.engines.Offers(ctx, at.User) })
	if err != nil || !offered {
		return nil, err
	}
	return []tool.Tool{s.tool}, nil
}

func (search) Summary(p searchParams) string { return p.Query }

func (s search) Run(ctx context.Context, call tool.Call, p searchParams) (chat.ToolResult, error) {
	found, err := s.engines.Search(ctx, call.User, websearch.Query{Text: p.Query, Max: p.MaxResults, Depth: strings.ToLower(strings.TrimSpace(p.Depth))})
	if err != nil {
		if ctx.Err() != nil {
			return chat.ToolResult{}, err
		}
		return tool.FromError(err)
	}
	if found.Provider == "" {
		return tool.Fail("the web cannot be searched now: %s", failures(found.Failed)), nil
	}
	r := tool.Text(listing(found))
	r.Sources = listed(sourcesOf(found.Items)...)
	return r, nil
}

func sourcesOf(items []websearch.Item) []chat.WebSource {
	out := make([]chat.WebSource, len(items))
	for i, item := range items {
		out[i] = chat.WebSource{URL: item.URL, Title: item.Title}
	}
	return out
}

// listing returns the list of results, and at its end their provider and its address.
func listing(found websearch.Results) string {
	by := "Searched with " + found.Provider
	if len(found.Failed) > 0 {
		by += " (" + failures(found.Failed) + ")"
	}
	by += "."
	if len(found.Items) == 0 && found.Answer == "" {
		return "Nothing is found. " + by
	}
	var texts, sources []string
	if found.Answer != "" {
		texts = append(texts, "Answer: "+found.Answer)
	}
	for i, item := range found.Items {
		head := fmt.Sprintf("[%d] %s", i+1, item.Title)
		if item.Published != "" {
			head += " (" + item.Published + ")"
		}
		texts = append(texts, strings.TrimSpace(head+"\n"+item.Text))
		sources = append(sources, fmt.Sprintf("[%d] %s", i+1, item.URL))
	}
	out := tool.Marked("results", strings.Join(texts, "\n")) + "\n" + by
	if len(sources) > 0 {
		out += " Fetch reads a page.\nSources:\n" + strings.Join(sources, "\n")
	}
	return out
}

// failures describes why providers did not answer.
func failures(failed []websearch.Failure) string {
	out := make([]string, len(failed))
	for i, f := range failed {
		out[i] = f.Provider + " failed: " + f.Reason
	}
	return strings.Join(out, "; ")
}
