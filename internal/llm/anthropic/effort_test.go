package anthropic_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/anthropic"
	"xbot/internal/llm/llmtest"
)

func thinking(level string) llm.Request {
	req := ask("say x")
	req.Effort = level
	return req
}

// budget is what a request gives the model to think, in tokens; 0: nothing.
func budget(body map[string]any) float64 {
	config, _ := body["thinking"].(map[string]any)
	n, _ := config["budget_tokens"].(float64)
	return n
}

func TestGenerate_GivesTheThinkLevelABudget(t *testing.T) {
	t.Parallel()
	b := setupWith(t, anthropic.Config{Model: "claude-x"})
	last := 0.0
	for n, level := range chat.ThinkLevels {
		_, err := b.client.Generate(t.Context(), thinking(level), nil)
		require.NoError(t, err)
		got := budget(b.body(n))
		if level == chat.ThinkOff {
			require.Nil(t, b.body(n)["thinking"])
			continue
		}
		require.Greater(t, got, last, level)
		require.Less(t, got, b.body(n)["max_tokens"].(float64))
		last = got
	}
	require.Len(t, b.Requests(), len(chat.ThinkLevels))
}

func TestGenerate_LeavesRoomForTheAnswerBesideTheThinking(t *testing.T) {
	t.Parallel()
	b := setupWith(t, anthropic.Config{Model: "claude-x"})
	for n, c := range []struct {
		limit int
		want  float64
	}{{4000, 2976}, {2048, 1024}, {2047, 0}} {
		req := thinking(chat.ThinkHigh)
		req.MaxTokens = c.limit
		_, err := b.client.Generate(t.Context(), req, nil)
		require.NoError(t, err)
		require.InDelta(t, c.want, budget(b.body(n)), 0)
	}
}

func TestGenerate_LearnsHowTheModelThinks(t *testing.T) {
	t.Parallel()
	kind := func(body map[string]any) any {
		config, _ := body["thinking"].(map[string]any)
		return config["type"]
	}
	effort := func(body map[string]any) any {
		config, _ := body["output_config"].(map[string]any)
		return config["effort"]
	}
	for name, c := range map[string]struct {
		text string
		ok   func(map[string]any) bool
	}{
		"not at all": {"thinking is not supported by this model", func(body map[string]any) bool { return body["thinking"] == nil }},
		"by word": {"thinking.type.enabled is not supported for this model. Use adaptive thinking and output_config.effort", func(body map[string]any) bool {
			return kind(body) == "adaptive" && effort(body) == "high"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setupWith(t, anthropic.Config{Model: "claude-x"})
			b.Handle(func(r llmtest.Request) llmtest.Reply {
				if c.ok(b.body(r.N)) {
					return llmtest.Reply{Text: "ok"}
				}
				return llmtest.Reply{Status: 400, Error: c.text}
			})
			for range 2 {
				_, err := b.client.Generate(t.Context(), thinking(chat.ThinkHigh), nil)
				require.NoError(t, err)
			}
			require.Equal(t, 3, b.Count(), "it is learned once")
		})
	}
}

// TestGenerate_DoesNotBeginToThinkBetweenACallAndItsAnswer: the API refuses a turn whose calls came without thinking.
func TestGenerate_DoesNotBeginToThinkBetweenACallAndItsAnswer(t *testing.T) {
	t.Parallel()
	b := setupWith(t, anthropic.Config{Model: "claude-x"})
	req := thinking(chat.ThinkHigh)
	req.Messages = append(req.Messages,
		llm.Message{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: "t.0.0", Name: "A", Arguments: "{}"}}}, llm.Message{Role: "tool", ToolCallID: "t.0.0", Content: "done"})
	_, err := b.client.Generate(t.Context(), req, nil)
	require.NoError(t, err)
	require.Nil(t, b.body(0)["thinking"])

	first, err := b.client.Generate(t.Context(), llm.Request{Effort: chat.ThinkHigh, Messages: []llm.Message{{Role: "user", Content: "think hm\ncall A {}\nsay done"}}}, nil)
	require.NoError(t, err)
	req.Messages[1] = llm.Message{Role: "assistant", Content: first.Text, Opaque: first.Opaque, ToolCalls: []llm.ToolCall{{ID: "t.0.0", Name: "A", Arguments: "{}"}}}
	_, err = b.client.Generate(t.Context(), req, nil)
	require.NoError(t, err)
	require.NotZero(t, budget(b.body(2)))
}

// https://github.com/tailcallhq/forgecode/issues/1853
func TestGenerate_GivesNoThinkingBackWithoutThinkingWhereThatIsRefused(t *testing.T) {
	t.Parallel()
	b := setupWith(t, anthropic.Config{Model: "claude-x"})
	first, err := b.client.Generate(t.Context(), llm.Request{Effort: chat.ThinkHigh, Messages: ask("think hm\nsay I look\ncall A {}\nsay done").Messages}, nil)
	require.NoError(t, err)
	b.Handle(func(r llmtest.Request) llmtest.Reply {
		if b.body(r.N)["thinking"] == nil && strings.Contains(string(r.Raw), "signature") {
			return llmtest.Reply{Status: 400, Error: "messages.1.content.0: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`. To use thinking blocks, enable `thinking` in your request."}
		}
		return llmtest.Reply{Text: "ok"}
	})
	req := next(ask("x"), first)
	for _, c := range []struct {
		level  string
		tokens bool
		sent   int
	}{{chat.ThinkOff, false, 3}, {chat.ThinkOff, false, 4}, {chat.ThinkHigh, true, 5}} {
		req.Effort = c.level
		_, err = b.client.Generate(t.Context(), req, nil)
		require.NoError(t, err)
		require.Equal(t, c.sent, b.Count(), "it is learned once")
		last := b.Requests()[c.sent-1]
		require.Equal(t, c.tokens, budget(b.body(c.sent-1)) > 0)
		require.Equal(t, c.tokens, strings.Contains(string(last.Raw), "signature"), "a request that thinks has it")
		require.Equal(t, "I look", last.Messages[1].Content)
		require.Len(t, last.Messages[1].Calls, 1)
	}
}
