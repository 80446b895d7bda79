package mcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/elicit"
	"xbot/internal/llm"
	"xbot/internal/tool"
)

// sampler is a model with a rule for the requests of servers.
type sampler struct {
	rule    chat.Rule
	alone   bool
	allowed int
	asked   []llm.Request
}

func (s *sampler) Rule(context.Context, *tool.Remote) (chat.Rule, bool, error) {
	if s.allowed > 0 {
		return chat.RuleAllow, s.alone, nil
	}
	return s.rule, s.alone, nil
}

func (s *sampler) Allow(context.Context, *tool.Remote) error { s.allowed++; return nil }

func (s *sampler) Generate(_ context.Context, r llm.Request) (llm.Answer, string, error) {
	s.asked = append(s.asked, r)
	return llm.Answer{Text: "water END and more", Reasoning: "secret thoughts", Finish: llm.FinishStop}, "acme/m", nil
}

// choosing answers questions with the option that begins so.
func choosing(t *testing.T, asked *[]chat.Inquiry, option string) func([]chat.Inquiry) chat.Answers {
	return func(questions []chat.Inquiry) chat.Answers {
		require.Len(t, questions, 1)
		*asked = append(*asked, questions...)
		for _, o := range questions[0].Options {
			if strings.HasPrefix(o.Label, option) {
				return chat.Answers{"q1": {o.Label}}
			}
		}
		require.Fail(t, "there is no such option", option)
		return nil
	}
}

func TestCall_AServerAsksTheModelOnceItsUserAllowsIt(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("asks")
	for name, c := range map[string]struct {
		tool   string
		model  *sampler
		option string
		rounds int
		want   string
		allows int
	}{
		"once":                {tool: "think", model: &sampler{rule: chat.RuleAsk, alone: true}, option: "Allow for this call", rounds: 1, want: "water by acme/m, stopSequence\n"},
		"once, for all of it": {tool: "think_twice", model: &sampler{rule: chat.RuleAsk}, option: "Allow for this call", rounds: 1, want: "water by acme/m, stopSequence\nwater by acme/m, stopSequence\n"},
		"always":              {tool: "think_twice", model: &sampler{rule: chat.RuleAsk, alone: true}, option: "Always allow", rounds: 1, want: "water by acme/m, stopSequence\nwater by acme/m, stopSequence\n", allows: 1},
		"no":                  {tool: "think", model: &sampler{rule: chat.RuleAsk}, option: "No", rounds: 1, want: "refused: calling \"sampling/createMessage\": the user rejected the request"},
		"by a rule":           {tool: "think", model: &sampler{rule: chat.RuleAllow}, want: "water by acme/m, stopSequence\n"},
		"denied by a rule":    {tool: "think", model: &sampler{rule: chat.RuleDeny}, want: "refused: calling \"sampling/createMessage\": the permissions of the user do not allow requests to the model"},
		"no model":            {tool: "think", want: "refused: calling \"sampling/createMessage\": the model cannot be asked here"},
	} {
		f.model = nil
		if c.model != nil {
			f.model = &elicit.Model{Sampler: c.model, Of: &tool.Remote{Server: "sasks"}}
		}
		var asked []chat.Inquiry
		got, rounds := f.asks(at, c.tool, choosing(t, &asked, c.option))
		require.Equal(t, strings.TrimSuffix(c.want, "\n"), got.Content, name)
		require.Equal(t, c.rounds, rounds, name)
		if c.model == nil {
			continue
		}
		require.Equal(t, c.allows, c.model.allowed, name)
		for _, q := range asked {
			require.True(t, strings.HasPrefix(q.Text, "MCP · sasks → AI\nThe MCP server sasks wants to ask the model"), q.Text)
			require.Contains(t, q.Text, "at most 8 requests")
			require.Contains(t, q.Text, "at most 4096 tokens")
			require.Contains(t, q.Text, "(1 messages, 25 characters, 0 images)\nsystem: Be brief. · user: What is the sea?")
			require.Len(t, q.Options, map[bool]int{true: 3, false: 2}[c.model.alone], "always is offered where the user is alone")
		}
		for _, r := range c.model.asked {
			require.Equal(t, llm.Request{System: "Be brief.", MaxTokens: 4096, Effort: chat.ThinkOff, Messages: []llm.Message{{Role: "user", Content: "What is the sea?"}}}, r)
		}
	}
}

func TestCall_WhereNobodyCanBeAskedOnlyARuleLetsAServerAskTheModel(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("asks")
	for rule, want := range map[chat.Rule]string{
		chat.RuleAsk:   "refused: calling \"sampling/createMessage\": no user can be asked for permission here",
		chat.RuleAllow: "water by acme/m, stopSequence",
	} {
		at.Asking = (&elicit.Calls{}).Begin("c", nil, true, &elicit.Model{Sampler: &sampler{rule: rule}, Of: &tool.Remote{Server: "sasks"}})
		require.Equal(t, want, f.call(at, "think", chat.ClassOnce, "").Content)
		require.Equal(t, "decline null", f.call(at, "book", chat.ClassOnce, "").Content, "and no question is asked")
	}
}

func TestCall_TheNewestProtocolAsksTheModelByItsResult(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("asks anew")
	f.model = &elicit.Model{Sampler: &sampler{rule: chat.RuleAsk}, Of: &tool.Remote{Server: "sasksanew"}}
	var asked []chat.Inquiry
	got, rounds := f.asks(at, "ponder", choosing(t, &asked, "Allow for this call"))
	require.Equal(t, "water", got.Content)
	require.Equal(t, 1, rounds)
}

func TestCall_AUserIsSentToAWebPageOnlyByThemselves(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("asks")
	var asked []chat.Inquiry
	got, rounds := f.asks(at, "visit", choosing(t, &asked, "Done"))
	require.Equal(t, "accept", got.Content)
	require.Equal(t, 1, rounds)
	require.Equal(t, "https://accounts.example.com/in?x=1", asked[0].URL)
	require.Equal(t, asked[0].URL, asked[0].Above, "all of the address is shown")
	require.True(t, strings.HasPrefix(asked[0].Text, "MCP · sasks: Sign in.\n"), asked[0].Text)
	require.Contains(t, asked[0].Text, "a page of accounts.example.com.", "and its host")
	got, _ = f.asks(at, "visit", choosing(t, &asked, "No"))
	require.Equal(t, "decline", got.Content)
	require.Equal(t, "decline", f.call(at, "visit", chat.ClassOnce, "").Content, "nobody can be asked")
}

func TestCall_AToolThatRequiresAWebPageFirstIsCalledAgain(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("asks")
	got, rounds := f.asks(at, "gate", func([]chat.Inquiry) chat.Answers { return chat.Answers{"q1": {"Done · 已完成"}} })
	require.True(t, got.IsError)
	require.Contains(t, got.Content, "the user says that it is done, and the server still refuses")
	require.Equal(t, 1, rounds)
	got, rounds = f.asks(at, "gate", func(asked []chat.Inquiry) chat.Answers {
		require.Equal(t, "https://pay.example.com/", asked[0].URL)
		f.box.Put(t, "opened", "")
		return chat.Answers{"q1": {"Done · 已完成"}}
	})
	require.Equal(t, "come in", got.Content)
	require.Equal(t, 1, rounds)
}

func TestCall_AnAddressThatCannotBeShownIsNotOpened(t *testing.T) {
	t.Parallel()
	f := setup(t)
	at := f.command("asks")
	got, rounds := f.asks(at, "trap", nil)
	require.Zero(t, rounds)
	require.True(t, got.IsError)
	require.Contains(t, got.Content, "the user was not sent there")
	require.NotContains(t, got.Content, "javascript")
}
