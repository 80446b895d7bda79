package toolset_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/memory"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/policy"
)

// stub is a tool of which only the description counts.
type stub tool.Spec

func (s stub) Spec() tool.Spec { return tool.Spec(s) }

func (stub) Summary(string) string { return "" }

func (s stub) Run(context.Context, tool.Call) (chat.ToolResult, error) { return tool.Text(s.Name), nil }

func core(name string) tool.Tool { return stub{Name: name, Class: chat.ClassRead} }

func optional(group, name, does string) tool.Tool {
	return stub{Name: name, Group: group, Description: does, Optional: true, Class: chat.ClassOnce, Parameters: json.RawMessage(`{"type":"object"}`)}
}

// rows is what a conversation uses, without a database.
type rows struct {
	active []string
	used   []string
	unused int
}

func (r *rows) ActiveTools(_ context.Context, _ chat.SessionKey, unused, _ int) (chat.ToolUse, error) {
	r.unused = unused
	return chat.ToolUse{Recent: r.active}, nil
}

func (r *rows) UseTools(_ context.Context, _ chat.SessionKey, names ...string) error {
	r.used = append(r.used, names...)
	return nil
}

func (*rows) ModelWanted(context.Context, chat.SessionKey) (chat.ModelCriteria, error) {
	return chat.ModelCriteria{User: 7}, nil
}

// brings is a source of the same tools for one person.
type brings struct {
	user  chat.UserID
	tools []tool.Tool
	err   error
}

func (b brings) Tools(_ context.Context, at toolset.Place) ([]tool.Tool, error) {
	if at.User != b.user {
		return nil, b.err
	}
	return b.tools, b.err
}

type answeredBy agentprofile.Profile

func (a answeredBy) Of(context.Context, chat.SessionKey) (agentprofile.Profile, error) {
	return agentprofile.Profile(a), nil
}

const session = chat.SessionKey("agent:main:web:thread:t")

func names(specs []tool.Spec) []string {
	out := []string{}
	for _, s := range specs {
		out = append(out, s.Name)
	}
	return out
}

func TestCatalog_ShowsOptionalToolsOnlyWhileTheyAreUsed(t *testing.T) {
	t.Parallel()
	used := &rows{active: []string{"b_two"}}
	c := &toolset.Catalog{Builtin: tool.New(core("Zeta"), core(toolset.Search)), ActiveTools: used, Settings: used, Sources: []toolset.Source{
		brings{user: 7, tools: []tool.Tool{optional("b", "b_one", ""), optional("b", "b_two", "")}},
		brings{user: 8, tools: []tool.Tool{optional("c", "c_other", "")}},
	}}
	set, err := c.Of(t.Context(), session)
	require.NoError(t, err)
	require.Equal(t, []string{"Zeta", toolset.Search, "b_two"}, names(set.Shown()), "what is always shown comes first, so that prompts keep their beginning")
	require.Equal(t, []string{"b_one"}, names(set.Hidden()))
	require.True(t, set.Has("b_one"), "what is not shown can be called all the same")
	require.False(t, set.Has("c_other"), "a tool of somebody else is no tool here")
	require.Equal(t, toolset.MaxUnused, used.unused)
	require.NoError(t, c.Use(t.Context(), session, set.Specs()...))
	require.Equal(t, []string{"b_one", "b_two"}, used.used, "what is always shown needs no row")
}

func TestCatalog_FindsAToolOfTheProgramWithoutItsSources(t *testing.T) {
	t.Parallel()
	away := brings{user: 7, err: fault.Errorf(fault.Unavailable, "the server is away")}
	for name, test := range map[string]struct {
		who    answeredBy
		source brings
		ok     bool
		err    bool
	}{
		"Zeta":         {source: away, ok: true},
		"zeta":         {source: away, ok: true},
		"Zeta_denied":  {who: answeredBy{Agent: policy.Agent{Tools: policy.Tools{Deny: []string{"Zeta*"}}}}, source: away},
		"b_one":        {source: brings{user: 7, tools: []tool.Tool{optional("b", "b_one", "")}}, ok: true},
		"b_other":      {source: brings{user: 8, tools: []tool.Tool{optional("b", "b_other", "")}}},
		"b_away":       {source: away, err: true},
		toolset.Search: {source: brings{user: 8}},
	} {
		c := &toolset.Catalog{
			Builtin: tool.New(core("Zeta"), core("Zeta_denied"), core(toolset.Search)), ActiveTools: &rows{}, Settings: &rows{}, Profiles: test.who, Sources: []toolset.Source{test.source},
		}
		found, ok, err := c.Find(t.Context(), session, name)
		require.Equal(t, test.err, err != nil, "%s: %v", name, err)
		require.Equal(t, test.ok, ok, name)
		if ok {
			require.True(t, strings.EqualFold(name, found.Spec().Name), name)
		}
	}
}

func TestCatalog_WithoutOptionalToolsThereIsNothingToSearch(t *testing.T) {
	t.Parallel()
	c := &toolset.Catalog{Builtin: tool.New(core("Zeta"), core(toolset.Search)), ActiveTools: &rows{}, Settings: &rows{}}
	set, err := c.Of(t.Context(), session)
	require.NoError(t, err)
	require.Equal(t, []string{"Zeta"}, names(set.Shown()))
	require.False(t, set.Has(toolset.Search))
}

func TestCatalog_WithAFlatMemoryNothingExpires(t *testing.T) {
	t.Parallel()
	used := &rows{}
	c := &toolset.Catalog{Builtin: tool.New(optional("a", "a_one", "")), ActiveTools: used, Settings: used, Profiles: answeredBy{Provider: memory.Flat}}
	_, err := c.Of(t.Context(), session)
	require.NoError(t, err)
	require.Zero(t, used.unused)
}

func TestCatalog_ShowsAtOnceWhatAnAgentOrARoleNames(t *testing.T) {
	t.Parallel()
	for _, who := range []answeredBy{
		{Agent: policy.Agent{Tools: policy.Tools{Allow: []string{"a_one", "a_t*"}}}},
		{Role: &chat.Profile{Tools: []string{"a_one", "a_t*"}}},
	} {
		c := &toolset.Catalog{Builtin: tool.New(optional("a", "a_one", ""), optional("a", "a_two", ""), optional("a", "b", "")), ActiveTools: &rows{}, Settings: &rows{}, Profiles: who}
		set, err := c.Of(t.Context(), session)
		require.NoError(t, err)
		require.Equal(t, []string{"a_one"}, names(set.Shown()))
		require.Equal(t, []string{"a_two"}, names(set.Hidden()), "a pattern allows, and does not show")
	}
}

func TestCatalog_NobodyTakesThePlaceOfATool(t *testing.T) {
	t.Parallel()
	c := &toolset.Catalog{Builtin: tool.New(core("Shell")), ActiveTools: &rows{}, Settings: &rows{}, Sources: []toolset.Source{
		brings{user: 7, tools: []tool.Tool{optional("evil", "shell", ""), optional("evil", "S_hell", "")}},
	}}
	set, err := c.Of(t.Context(), session)
	require.NoError(t, err)
	require.Equal(t, []string{"Shell"}, names(set.Specs()))
}

func TestCatalog_ASourceThatCannotSayStopsTheStep(t *testing.T) {
	t.Parallel()
	c := &toolset.Catalog{Builtin: tool.New(), ActiveTools: &rows{}, Settings: &rows{}, Sources: []toolset.Source{brings{err: fault.Errorf(fault.Unavailable, "no database")}}}
	_, err := c.Of(t.Context(), session)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}

func TestList_KeepsToItsRoom(t *testing.T) {
	t.Parallel()
	var all []tool.Spec
	for _, group := range []string{"files", "github", "memory"} {
		for n := range 100 {
			all = append(all, tool.Spec{Name: fmt.Sprintf("mcp_%s_%03d", group, n), Group: group, Description: "Does something that takes a while to tell."})
		}
	}
	text := toolset.List(all, 2400)
	require.LessOrEqual(t, len(text), 2400+100)
	for _, group := range []string{"- files: ", "- github: ", "- memory: "} {
		require.Contains(t, text, group)
	}
	require.Contains(t, text, " more")
	require.Equal(t, "- one: one_tool (Does it)", toolset.List([]tool.Spec{{Name: "one_tool", Group: "one", Description: "Does it. Slowly."}}, 2400))
	require.Equal(t, "files (100), github (100), memory (100)", toolset.Groups(all))
}

// byHand embeds texts as points that are near to each other where the test says so.
type byHand struct {
	fails bool
	asked int
}

func (*byHand) Model() string { return "by hand" }

func (e *byHand) Embed(_ context.Context, texts []string) ([][]float32, error) {
	e.asked += len(texts)
	if e.fails {
		return nil, fault.Errorf(fault.Unavailable, "away")
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = []float32{0, 1}
		if text == "meow" || len(text) > 3 && text[:3] == "cat" {
			out[i] = []float32{1, 0}
		}
	}
	return out, nil
}

func TestFinder_FindsByMeaningAndEmbedsAToolOnce(t *testing.T) {
	t.Parallel()
	by := &byHand{}
	f := &toolset.Finder{Embedder: by, Log: slog.New(slog.DiscardHandler)}
	among := []tool.Spec{{Name: "cat_feed", Description: "Feeds it."}, {Name: "dog_walk", Description: "Walks it."}}
	require.Equal(t, []string{"cat_feed"}, names(f.Find(t.Context(), "meow", among, 5)))
	require.Equal(t, 3, by.asked)
	require.Equal(t, []string{"dog_walk"}, names(f.Find(t.Context(), "walks", among[1:], 5)))
	require.Equal(t, 4, by.asked)
	by.fails = true
	require.Equal(t, []string{"dog_walk"}, names(f.Find(t.Context(), "walk the dog", among, 5)), "words have to do")
}
