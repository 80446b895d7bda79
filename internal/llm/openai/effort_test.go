package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/llm"
)

func thinking(level string) llm.Request {
	req := ask("say x")
	req.Effort = level
	return req
}

func TestGenerate_SendsTheThinkLevel(t *testing.T) {
	t.Parallel()
	b := setupModel(t, "gpt-5", 0)
	for _, level := range append([]string{""}, chat.ThinkLevels...) {
		_, err := b.client.Generate(t.Context(), thinking(level), nil)
		require.NoError(t, err)
	}
	var sent []any
	for n := range b.Count() {
		sent = append(sent, b.body(n)["reasoning_effort"])
	}
	require.Equal(t, []any{nil, "none", "minimal", "low", "medium", "high", "xhigh"}, sent)
}

func TestGenerate_LearnsWhichThinkLevelsTheModelKnows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, level string
		want        any
		calls       int
	}{
		"the field is unknown":      {"Unrecognized request argument supplied: reasoning_effort", chat.ThinkHigh, nil, 3},
		"the field is not for it":   {"Unsupported parameter: 'reasoning_effort' is not supported with this model.", chat.ThinkLow, nil, 3},
		"the highest is too high":   {"Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model.", chat.ThinkXHigh, "high", 3},
		"off is minimal":            {"Unsupported value: 'reasoning_effort' does not support 'none' with this model.", chat.ThinkOff, "minimal", 3},
		"off is low":                {"Invalid value for reasoning_effort. Supported values are: 'low', 'medium', and 'high'.", chat.ThinkOff, "low", 4},
		"no value is good for it":   {"reasoning_effort: Input should be 'default'", chat.ThinkHigh, nil, 5},
		"nothing was asked of that": {"never said", "", nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setupModel(t, "m", 0)
			b.refuseUnless(400, c.text, func(body map[string]any) bool { return body["reasoning_effort"] == c.want })
			for range 2 {
				_, err := b.client.Generate(t.Context(), thinking(c.level), nil)
				require.NoError(t, err)
			}
			require.Equal(t, c.calls, b.Count(), "it is learned once")
		})
	}
}

func TestGenerate_KeepsModelsThatTakeToolsOnlyWithoutReasoningFromIt(t *testing.T) {
	t.Parallel()
	b := setupModel(t, "gpt-6-sol", 0)
	req := thinking(chat.ThinkHigh)
	req.Tools = []llm.Tool{{Name: "Shell"}}
	_, err := b.client.Generate(t.Context(), req, nil)
	require.NoError(t, err)
	require.Equal(t, "none", b.body(0)["reasoning_effort"])
}

// https://github.com/BerriAI/litellm/issues/34569, https://github.com/pipecat-ai/pipecat/issues/4043
func TestGenerate_LearnsThatToolsAreTakenOnlyWithoutReasoning(t *testing.T) {
	t.Parallel()
	for model, text := range map[string]string{
		"gpt-5.6": "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
		"gpt-5.4": "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.",
	} {
		for _, level := range []string{"", chat.ThinkHigh} {
			t.Run(model+" "+level, func(t *testing.T) {
				t.Parallel()
				b := setupModel(t, model, 0)
				b.refuseUnless(400, text, func(body map[string]any) bool { return body["tools"] == nil || body["reasoning_effort"] == "none" })
				req := thinking(level)
				req.Tools = []llm.Tool{{Name: "Shell"}}
				for range 2 {
					_, err := b.client.Generate(t.Context(), req, nil)
					require.NoError(t, err)
				}
				require.Equal(t, 3, b.Count(), "it is learned once")
				_, err := b.client.Generate(t.Context(), thinking(chat.ThinkHigh), nil)
				require.NoError(t, err)
				require.Equal(t, "high", b.body(3)["reasoning_effort"], "without tools it thinks as much as it is to")
			})
		}
	}
}
