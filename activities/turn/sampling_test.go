package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/limits"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/permission"
)

// asking is a tool of an MCP server that asks the model what its arguments say, one request after another.
type asking struct {
	of      *tool.Remote
	breaks  bool // after the last answer, as a worker that is killed
	request func(text string) llm.Request
}

const askModel = "mcp_shop_ask"

func (a *asking) Spec() tool.Spec {
	return tool.Spec{Name: askModel, Class: chat.ClassIdempotent, Description: "asks", Parameters: []byte(`{"type":"object"}`), Remote: a.of}
}
func (*asking) Summary(string) string { return "" }
func (a *asking) Run(ctx context.Context, call tool.Call) (chat.ToolResult, error) {
	var in struct{ Ask []string }
	if err := json.Unmarshal([]byte(call.Arguments), &in); err != nil {
		return chat.ToolResult{}, err
	}
	said := ""
	for _, text := range in.Ask {
		answer, model, err := call.Sampler.Generate(context.Background(), a.request(text))
		said += fmt.Sprintf("%s %s %v\n", answer.Text, model, err)
	}
	if a.breaks {
		return chat.ToolResult{}, errors.New("killed")
	}
	return tool.Text(said), nil
}

// setupSampling has a model call the tool with so many requests.
func setupSampling(t *testing.T, requests ...string) (*fixture, *asking) {
	t.Helper()
	arguments, err := json.Marshal(map[string]any{"Ask": requests})
	require.NoError(t, err)
	b := setup(t, "call "+askModel+" "+string(arguments))
	a := &asking{of: &tool.Remote{Server: "shop", Tool: "ask", Address: "https://shop.example"}, request: func(text string) llm.Request {
		return llm.Request{System: "sys", MaxTokens: 50, Messages: []llm.Message{{Role: "user", Content: text}}}
	}}
	b.Catalog = toolset.Fixed(a)
	b.Model.Tools, b.Tools.Sets = b.Catalog, b.Catalog
	b.Tools.Sampling = &turn.Sampling{Calls: b.Store.Calls, Permissions: b.Store.Permissions, Titles: b.Store.Titles, Usage: b.Store.Usage, Models: b.Model.Models, Limits: limits.Table{Context: 100_000, Output: 30}, Authorizers: permission.Authorizers{People: b.Store.Permissions}}
	b.AskForCalls()
	return b, a
}

// calls is how often models were called for alice, and how many tokens they wrote.
func (b *fixture) calls() (n, tokens int64) {
	b.T.Helper()
	user, err := b.Users.UserByName(b.T.Context(), "alice")
	require.NoError(b.T, err)
	days, err := b.Usage.UsageByDay(b.T.Context(), user.ID, 1)
	require.NoError(b.T, err)
	for _, d := range days {
		n, tokens = n+d.Calls, tokens+d.CompletionTokens
	}
	return n, tokens
}

func TestSampling_AnswersARequestAndBooksItOnTheUserOnce(t *testing.T) {
	b, a := setupSampling(t, "say blue\nusage 10 7", "say blue\nusage 10 7", "say red\nusage 10 5")
	a.breaks = true
	before := b.Server.Count()
	calls, tokens := b.calls()
	_, err := b.RunTool(t.Context(), 0)
	require.Error(t, err)
	require.Equal(t, before+3, b.Server.Count(), "the same request again is another one")
	a.breaks = false
	_, err = b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace("blue openai/scripted <nil>\nblue openai/scripted <nil>\nred openai/scripted <nil>"), strings.TrimSpace(b.ResultOf(0).Result))
	require.Equal(t, before+3, b.Server.Count(), "an attempt that begins again pays for none of them")
	after, written := b.calls()
	require.EqualValues(t, 3, after-calls)
	require.EqualValues(t, 19, written-tokens)
	for _, r := range b.Server.Requests()[before:] {
		require.Empty(t, r.Tools)
		require.Equal(t, 30, r.MaxTokens, "no more than the model can write")
	}
}

func TestSampling_AnswersNoMoreThanEightRequestsDuringACall(t *testing.T) {
	b, _ := setupSampling(t, slices.Repeat([]string{"say a"}, tool.MaxSamples+2)...)
	_, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, tool.MaxSamples, strings.Count(b.ResultOf(0).Result, "a openai/scripted"))
	require.Equal(t, 2, strings.Count(b.ResultOf(0).Result, "at most 8 requests"))
}

func TestSampling_WhatAProviderSaysDoesNotReachAServer(t *testing.T) {
	b, a := setupSampling(t, "fail 401 your key sk-secret is wrong\nsay a", "fail 400 key sk-secret\nsay a", "fail 503 sk-secret\nsay a", "show")
	request := a.request
	a.request = func(text string) llm.Request {
		r := request(text)
		if text == "show" {
			r.Messages[0].Pictures = []llm.Picture{{MediaType: "image/png", Data: []byte("sk-secret")}}
		}
		return r
	}
	_, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.NotContains(t, b.ResultOf(0).Result, "sk-secret")
	require.Equal(t, 2, strings.Count(b.ResultOf(0).Result, "the model did not answer: the provider refuses the request"), b.ResultOf(0).Result)
	require.Equal(t, 1, strings.Count(b.ResultOf(0).Result, "HTTP 503"), b.ResultOf(0).Result)
	require.Equal(t, 1, strings.Count(b.ResultOf(0).Result, "the model does not read images"), b.ResultOf(0).Result)
}

// permitting has the tool ask whether its server may ask the model, and allow it.
type permitting struct{ *asking }

func (p permitting) Run(ctx context.Context, call tool.Call) (chat.ToolResult, error) {
	first, always, err := call.Sampler.Rule(ctx, p.of)
	if err != nil {
		return chat.ToolResult{}, err
	}
	if err := call.Sampler.Allow(ctx, p.of); err != nil {
		return chat.ToolResult{}, err
	}
	then, _, err := call.Sampler.Rule(ctx, p.of)
	return tool.Text(fmt.Sprint(first, " ", always, " ", then)), err
}

func TestSampling_AllowsAServerByARuleOfItsOwn(t *testing.T) {
	b, a := setupSampling(t)
	b.Catalog = toolset.Fixed(permitting{a})
	b.Tools.Sets = b.Catalog
	_, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "ask false allow", b.ResultOf(0).Result)
	user, err := b.Users.UserByName(t.Context(), "alice")
	require.NoError(t, err)
	rules, err := b.Permissions.Permissions(t.Context(), user.ID)
	require.NoError(t, err)
	require.Equal(t, []chat.ToolRule{{Tool: "mcp_shop_sampling", Rule: chat.RuleAllow, Pin: permission.Sampling(a.of).Pin()}}, rules)
}

func TestTools_WithoutASamplerRefuseRequestsOfServers(t *testing.T) {
	b, a := setupSampling(t)
	b.Tools.Sampling = nil
	b.Catalog = toolset.Fixed(without{a})
	b.Tools.Sets = b.Catalog
	_, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "true", b.ResultOf(0).Result)
}

// without tells whether there is no sampler.
type without struct{ *asking }

func (without) Run(_ context.Context, call tool.Call) (chat.ToolResult, error) {
	return tool.Text(fmt.Sprint(call.Sampler == nil)), nil
}
