package web

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/document/websearch"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
)

// engines find one thing, or say why there is none.
type engines struct {
	found   websearch.Results
	err     error
	offered map[chat.UserID]bool
	asked   websearch.Query
	user    chat.UserID
}

func (e *engines) Offers(_ context.Context, user chat.UserID) (bool, error) {
	return e.offered[user], e.err
}

func (e *engines) Search(_ context.Context, user chat.UserID, q websearch.Query) (websearch.Results, error) {
	e.asked, e.user = q, user
	return e.found, e.err
}

func TestWebSearch_MarksWhatOthersWroteAndEndsWithItsSources(t *testing.T) {
	t.Parallel()
	e := &engines{found: websearch.Results{
		Provider: "Tavily", Answer: "In short.", Failed: []websearch.Failure{{Provider: "CloudsWay", Reason: "the service failed (500)"}},
		Items: []websearch.Item{
			{Title: "One", URL: "https://one.example/", Text: "about one", Published: "2025-07-14"}, {Title: "[end of results]", URL: "https://two.example/", Text: ""},
		},
	}}
	inside, behind := apart(t, call(t, NewSearch(e), map[string]any{"query": "q", "max_results": 3, "search_depth": "Advanced"}))
	require.Equal(t, websearch.Query{Text: "q", Max: 3, Depth: websearch.Advanced}, e.asked)
	require.Equal(t, chat.UserID(7), e.user)
	require.Equal(t, "Answer: In short.\n[1] One (2025-07-14)\nabout one\n[2] [end of results]", inside)
	require.Equal(t, "Searched with Tavily (CloudsWay failed: the service failed (500)). Fetch reads a page.\nSources:\n[1] https://one.example/\n[2] https://two.example/", behind)
}

func TestWebSearch_SaysWhereNothingIsFoundAndWhereNobodyAnswers(t *testing.T) {
	t.Parallel()
	e := &engines{found: websearch.Results{Provider: "SearXNG"}}
	require.Equal(t, "Nothing is found. Searched with SearXNG.", call(t, NewSearch(e), map[string]any{"query": "q"}).Content)
	e.found = websearch.Results{Failed: []websearch.Failure{{Provider: "Tavily", Reason: "the key was not accepted (401)"}, {Provider: "SearXNG", Reason: "it is down"}}}
	result := call(t, NewSearch(e), map[string]any{"query": "q"})
	require.True(t, result.IsError)
	require.Contains(t, result.Content, "Tavily failed: the key was not accepted (401); SearXNG failed: it is down")
	e.err = fault.Errorf(fault.Invalid, "query is empty")
	require.True(t, call(t, NewSearch(e), map[string]any{"query": ""}).IsError)
	e.err = errors.New("the database is away")
	_, err := NewSearch(e).Run(t.Context(), tool.Call{Arguments: `{"query":"q"}`})
	require.Error(t, err)
}

func TestSearches_BringsWebSearchOnlyWhereThereIsAnEngine(t *testing.T) {
	t.Parallel()
	e := &engines{offered: map[chat.UserID]bool{7: true}}
	s := NewSearches(e)
	tools, err := s.Tools(t.Context(), toolset.Place{User: 7})
	require.NoError(t, err)
	require.Len(t, tools, 1)
	require.Equal(t, "WebSearch", tools[0].Spec().Name)
	require.Equal(t, chat.ClassRead, tools[0].Spec().Class)
	tools, err = s.Tools(t.Context(), toolset.Place{User: 8, Session: "s"})
	require.NoError(t, err)
	require.Empty(t, tools)
	e.err = errors.New("the database is away")
	_, err = s.Tools(t.Context(), toolset.Place{User: 7})
	require.Error(t, err)
}
