package openai_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
)

// holds reports whether an object of the request has a field.
func holds(body map[string]any, object, field string) bool {
	inner, _ := body[object].(map[string]any)
	_, there := inner[field]
	return there
}

func TestResponses_LearnsWhatTheModelDoesNotTake(t *testing.T) {
	t.Parallel()
	noInclude := func(body map[string]any) bool { return body["include"] == nil }
	noSummary := func(body map[string]any) bool { return !holds(body, "reasoning", "summary") }
	noLimit := func(body map[string]any) bool { return body["max_output_tokens"] == nil }
	for name, c := range map[string]struct {
		text string
		ok   func(map[string]any) bool
	}{
		"no encrypted reasoning":      {"Encrypted content is not supported with this model.", noInclude},
		"include has other values":    {"Invalid value: 'reasoning.encrypted_content'. Supported values are: 'file_search_call.results'.", noInclude},
		"include is unknown":          {"Unknown parameter: 'include'.", noInclude},
		"no summaries":                {"Unsupported parameter: 'reasoning.summary' is not supported with the 'o1-mini' model.", noSummary},
		"no summaries for this group": {"Your organization must be verified to generate reasoning summaries. Please go to: https://x.example.com", noSummary},
		"other summaries":             {"Unsupported value: 'auto' is not supported with the 'computer-use-preview' model.", noSummary},
		"no reasoning at all":         {"Unknown parameter: 'reasoning'.", func(body map[string]any) bool { return body["reasoning"] == nil }},
		"no effort":                   {"Unsupported parameter: 'reasoning.effort' is not supported with this model.", func(body map[string]any) bool { return !holds(body, "reasoning", "effort") }},
		"a limit too high":            {"Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 40, but got 50 instead.", noLimit},
		"no limit":                    {"Unsupported parameter: max_output_tokens", noLimit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setupResponses(t, "m")
			b.refuseUnless(400, c.text, c.ok)
			req := limited("x")
			req.Effort = chat.ThinkLow
			for range 2 {
				_, err := b.client.Generate(t.Context(), req, nil)
				require.NoError(t, err)
			}
			require.Equal(t, 3, b.Count(), "it is learned once")
		})
	}
}

func TestResponses_LearnsWhichThinkLevelsTheModelKnows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, level string
		want        any
		calls       int
	}{
		"the highest is too high": {"Unsupported value: 'xhigh' is not supported with the 'gpt-5-mini' model. Supported values are: 'minimal', 'low', 'medium', and 'high'.", chat.ThinkXHigh, "high", 3},
		"minimal is too low":      {"Unsupported value: 'minimal' is not supported with the 'gpt-5.5' model. Supported values are: 'none', 'low', 'medium', 'high', and 'xhigh'.", chat.ThinkMinimal, "low", 4},
		"off is minimal":          {"Unsupported value: 'none' is not supported with the 'gpt-5-mini' model", chat.ThinkOff, "minimal", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setupResponses(t, "m")
			b.refuseUnless(400, c.text, func(body map[string]any) bool { return body["reasoning"].(map[string]any)["effort"] == c.want })
			for range 2 {
				_, err := b.client.Generate(t.Context(), thinking(c.level), nil)
				require.NoError(t, err)
			}
			require.Equal(t, c.calls, b.Count(), "it is learned once")
		})
	}
}

func TestResponses_GivesNothingBackWhereThatIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"The encrypted content gAAA could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
		"Item 'rs_1' of type 'reasoning' was provided without its required following item.",
		"Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
	} {
		b := setupResponses(t, "r")
		b.Handle(nil)
		b.refuseUnless(400, text, func(body map[string]any) bool {
			for _, item := range body["input"].([]any) {
				if item.(map[string]any)["type"] == "reasoning" {
					return false
				}
			}
			return true
		})
		_, err := b.client.Generate(t.Context(), b.conversation(), nil)
		require.NoError(t, err, text)
		require.Equal(t, 2, b.Count())
		require.Equal(t, "I look.", b.Requests()[1].Messages[1].Content)
		require.Len(t, b.Requests()[1].Messages[1].Calls, 2)
	}
}

func TestResponses_ShowsPicturesOfResultsElsewhereWhereTheyAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Output of tool call should be 'Input text'", "Invalid type for 'input'."} {
		b := setupResponses(t, "r")
		b.refuseUnless(400, text, func(body map[string]any) bool {
			for _, item := range body["input"].([]any) {
				if _, parts := item.(map[string]any)["output"].([]any); parts {
					return false
				}
			}
			return true
		})
		_, err := b.client.Generate(t.Context(), b.conversation(), nil)
		require.NoError(t, err, text)
		messages := b.Requests()[1].Messages
		require.Empty(t, messages[2].Pictures)
		require.Equal(t, "user", messages[4].Role)
		require.Len(t, messages[4].Pictures, 1)
	}
}

func TestResponses_LearnsThatPeopleAndModelTakeTurns(t *testing.T) {
	t.Parallel()
	b := setupResponses(t, "m")
	b.refuseUnless(400, "Conversation roles must alternate user/assistant", func(body map[string]any) bool { return len(body["input"].([]any)) == 1 })
	req := ask("x")
	req.Messages = append(req.Messages, llm.Message{Role: "user", Content: "mind", Volatile: true})
	_, err := b.client.Generate(t.Context(), req, nil)
	require.NoError(t, err)
	require.Equal(t, "x\n\nmind", b.Requests()[1].Messages[0].Content)
}

func TestResponses_DoesNotAskModelsToThinkThatCannot(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"gpt-4o", "openai/gpt-4.1-mini", "chatgpt-4o-latest"} {
		b := setupResponses(t, model)
		_, _, err := b.ask("say x")
		require.NoError(t, err)
		require.NotContains(t, b.body(0), "reasoning")
		require.NotContains(t, b.body(0), "include")
	}
}

func TestResponses_StopsLearningFromWhatItCannotAvoid(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Encrypted content is not supported", "reasoning.summary", "Unknown parameter: 'reasoning'", "max_output_tokens", "Invalid type for 'input[3].output'",
		"reasoning.effort", strings.Repeat("encrypted_content reasoning.summary max_output_tokens ", 3),
	} {
		b := setupResponses(t, "m")
		b.refuseUnless(400, text, func(map[string]any) bool { return false })
		req := limited("x")
		req.Effort = chat.ThinkHigh
		_, err := b.client.Generate(t.Context(), req, nil)
		require.Equal(t, fault.Invalid, fault.KindOf(err), text)
		require.LessOrEqual(t, b.Count(), 6)
	}
}
