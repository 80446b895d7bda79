package choice_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm/catalogue"
	"xbot/internal/llm/choice"
	"xbot/internal/llm/demo"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/llmtest"
	"xbot/internal/turn/policy"
)

// listing makes a choice among models of the policy.
func listing(h *home, p *policy.Policy) *choice.Choice {
	return &choice.Choice{Server: demo.Client{}, Store: h, Runners: h, Models: &catalogue.Live{
		Server: demo.Client{}, Limits: limits.Table{Model: "demo/demo"}, Policies: listed{p},
	}}
}

func TestDecided_WhereNobodyNearerSaysTheRunnerThenThePersonThenThePolicyDecides(t *testing.T) {
	t.Parallel()
	script := llmtest.New(t)
	p := &policy.Policy{DefaultModel: "ours/m", Models: []policy.Model{
		{ID: "ours/m", BaseURL: script.BaseURL()}, {ID: "mine/m", BaseURL: script.BaseURL()}, {ID: "here/m", BaseURL: script.BaseURL()},
	}}
	h, _, _, _ := setup(t, "openai")
	h.server = true
	c := listing(h, p)
	for _, step := range []struct {
		change func()
		model  string
		source choice.Source
	}{
		{func() {}, "ours/m", choice.FromPolicy},
		{func() { h.wish.Usual = "mine/m" }, "mine/m", choice.FromPerson},
		{func() { h.server = false }, "openai/mine", choice.FromRunner},
		{func() { h.wish.Model = "here/m" }, "here/m", choice.FromSession},
	} {
		step.change()
		client, d, err := c.Decided(t.Context(), key)
		require.NoError(t, err)
		require.Equal(t, step.model, client.Model())
		require.Equal(t, step.source, d.ModelSource)
	}
}

func TestDecided_HowMuchModelsThinkForAPersonHoldsWhereNobodyNearerSays(t *testing.T) {
	t.Parallel()
	script := llmtest.New(t)
	p := &policy.Policy{
		Models: []policy.Model{{ID: "ours/m", BaseURL: script.BaseURL()}}, DefaultModel: "ours/m",
		Agents: policy.Agents{List: []policy.Agent{{ID: "main"}, {ID: "quick", Think: chat.ThinkLow}}},
	}
	h := &home{server: true, wish: chat.ModelCriteria{Agent: "main", PersonModels: chat.PersonModels{UsualThink: chat.ThinkHigh}}}
	c := listing(h, p)
	for _, step := range []struct {
		change func()
		think  string
		source choice.Source
	}{
		{func() {}, chat.ThinkHigh, choice.FromPerson},
		{func() { h.wish.Agent = "quick" }, chat.ThinkLow, choice.FromAgent},
		{func() { h.wish.Think = chat.ThinkOff }, chat.ThinkOff, choice.FromSession},
		{func() {
			h.wish = chat.ModelCriteria{Agent: "main", Model: "ours/m-thinking", PersonModels: h.wish.PersonModels}
		}, "", choice.FromNobody},
	} {
		step.change()
		_, d, err := c.Decided(t.Context(), key)
		require.NoError(t, err)
		require.Equal(t, step.think, d.Think)
		require.Equal(t, step.source, d.ThinkSource)
	}
	h.wish = chat.ModelCriteria{Agent: "main", PersonModels: chat.PersonModels{UsualThink: chat.ThinkHigh}}
	_, _, err := ask(t, c, "say hello")
	require.NoError(t, err)
	require.Contains(t, string(script.Requests()[0].Raw), `"reasoning_effort":"high"`)
}

func TestDecided_WhatAPersonChoseAndIsGoneIsARefusalAndNotAnotherModel(t *testing.T) {
	t.Parallel()
	h := &home{server: true, wish: chat.ModelCriteria{PersonModels: chat.PersonModels{Usual: "mine/gone"}}}
	_, model, err := ask(t, listing(h, &policy.Policy{}), "say hello")
	require.True(t, fault.Is(err, fault.Invalid))
	require.ErrorContains(t, err, "which you chose for all your conversations")
	require.Equal(t, "mine/gone", model)
}

// chosen is what a person chose for all their conversations.
type chosen string

func (c chosen) UsualModel(context.Context, chat.UserID) (string, error) { return string(c), nil }

func TestUsual_NamesTheModelThatAnswers(t *testing.T) {
	t.Parallel()
	p := &policy.Policy{Models: []policy.Model{{ID: "ours/large", Alias: []string{"big"}, BaseURL: "http://x/v1"}}}
	live := listing(&home{}, p).Models
	of := func(c chosen, user chat.UserID) string {
		id, err := choice.Usual{Models: live, Settings: c}.Of(t.Context(), user)
		require.NoError(t, err)
		return id
	}
	require.Equal(t, "demo/demo", of("", 7))
	require.Equal(t, "mine/gone", of("mine/gone", 7), "a refusal will name it, too")
	p.DefaultModel = "big"
	require.Equal(t, "ours/large", of("", 7))
	require.Equal(t, "demo/demo", of("demo/demo", 7))
	require.Equal(t, "ours/large", of("demo/demo", 0), "nobody in particular")
}

func TestMissing_SaysWhyNoModelCanAnswerAndNothingThatOnlyTheWorkerKnows(t *testing.T) {
	t.Parallel()
	p := &policy.Policy{DefaultModel: "ours/m", Models: []policy.Model{
		{ID: "ours/m", BaseURL: "https://models.example/v1", APIKeyEnv: "OUR_KEY"}, {ID: "free/m", BaseURL: "http://127.0.0.1:1"},
	}}
	h := &home{server: true}
	c := listing(h, p)
	missing := func(wish, env map[string]string) string {
		t.Helper()
		h.wish.Model = wish["model"]
		c.Models = &catalogue.Live{Server: demo.Client{}, Limits: limits.Table{Model: "demo/demo"}, Policies: listed{p}, Env: env}
		model, why, err := c.Missing(t.Context(), key)
		require.NoError(t, err)
		require.NotEmpty(t, model)
		return why
	}
	require.Contains(t, missing(nil, map[string]string{}), "OUR_KEY")
	require.Empty(t, missing(nil, map[string]string{"OUR_KEY": "k"}))
	require.Empty(t, missing(nil, nil), "the key is in the worker")
	require.Empty(t, missing(map[string]string{"model": "free/m"}, nil))
	require.Empty(t, missing(map[string]string{"model": "demo/demo"}, nil))
	require.Contains(t, missing(map[string]string{"model": "gone/m"}, nil), "not configured any more")
	h.wish.Think, p.Models[0].APIKeyEnv = chat.ThinkHigh, "XBOT_MASTER_KEY"
	require.Contains(t, missing(nil, nil), "one of the server's own", "how much it thinks changes nothing")
}
