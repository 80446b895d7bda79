package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/llmtest"
)

func TestGenerate_SaysHowToolsAreCalled(t *testing.T) {
	t.Parallel()
	tools := []llm.Tool{{Name: "A", Parameters: json.RawMessage(`{"type":"object"}`), Strict: true}}
	for name, c := range map[string]struct {
		req    llm.Request
		choice string // null: none
		thinks bool
	}{
		"nothing":            {llm.Request{Tools: tools}, `null`, true},
		"a tool is forced":   {llm.Request{Tools: tools, Forced: true}, `{"type":"any"}`, false}, // the API takes no thinking beside it
		"one call at a time": {llm.Request{Tools: tools, Single: true}, `{"type":"auto","disable_parallel_tool_use":true}`, true},
		"both":               {llm.Request{Tools: tools, Forced: true, Single: true}, `{"type":"any","disable_parallel_tool_use":true}`, false},
		"no tools":           {llm.Request{Forced: true, Single: true}, `null`, true},
		"a form is said in words alone": {
			llm.Request{Tools: tools, Format: &chat.AnswerFormat{Name: "a", Schema: json.RawMessage(`{"type":"object"}`)}}, `null`, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			c.req.Messages, c.req.Effort = ask("say x").Messages, chat.ThinkHigh
			_, err := b.client.Generate(t.Context(), c.req, nil)
			require.NoError(t, err)
			body := b.body(0)
			choice, err := json.Marshal(body["tool_choice"])
			require.NoError(t, err)
			require.JSONEq(t, c.choice, string(choice))
			require.Equal(t, c.thinks, body["thinking"] != nil)
			require.NotContains(t, body, "response_format")
			require.NotContains(t, body, "output_format")
		})
	}
}

func TestGenerate_LearnsThatAToolChoiceIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Thinking mode does not support this tool_choice", "tool_choice 'any' is incompatible with thinking enabled", "tool_choice: Extra inputs are not permitted",
	} {
		b := setup(t)
		b.Handle(func(r llmtest.Request) llmtest.Reply {
			if b.body(r.N)["tool_choice"] != nil {
				return llmtest.Reply{Status: 400, Error: text}
			}
			return llmtest.Reply{Text: "ok"}
		})
		req := ask("x")
		req.Tools, req.Forced, req.Effort = []llm.Tool{{Name: "A"}}, true, chat.ThinkHigh
		for range 2 {
			_, err := b.client.Generate(t.Context(), req, nil)
			require.NoError(t, err, text)
		}
		require.Equal(t, 3, b.Count(), "it is learned once")
		require.NotNil(t, b.body(2)["thinking"], "the model thinks as it did")
	}
}
