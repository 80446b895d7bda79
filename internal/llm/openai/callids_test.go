package openai_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm"
)

// calling is a conversation with two calls of tools.
func calling() llm.Request {
	return llm.Request{Messages: []llm.Message{
		{Role: "user", Content: "go"},
		{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: "t1.0.0", Name: "Shell", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "t1.0.0", Content: "a"},
		{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: "t1.1.0", Name: "mcp_x.y", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "t1.1.0", Content: "b"},
	}}
}

// sentIDs are the ids of the calls of a request and those of its results.
func sentIDs(body map[string]any) (calls, results []string) {
	for _, m := range body["messages"].([]any) {
		message := m.(map[string]any)
		if id, ok := message["tool_call_id"].(string); ok {
			results = append(results, id)
		}
		list, _ := message["tool_calls"].([]any)
		for _, c := range list {
			calls = append(calls, c.(map[string]any)["id"].(string))
		}
	}
	return calls, results
}

// Kimi's chat template has the name of a called function in the id alone: https://github.com/vllm-project/vllm/issues/50768,
// https://github.com/vybestack/llxprt-code/issues/712, https://github.com/exo-explore/exo/issues/2281.
func TestGenerate_GivesKimiIDsWithTheNamesOfTools(t *testing.T) {
	t.Parallel()
	for model, want := range map[string][]string{
		"kimi-k2.7-code":              {"functions.Shell:0", "functions.mcp_x_y:1"},
		"moonshotai/Kimi-K2-Thinking": {"functions.Shell:0", "functions.mcp_x_y:1"},
		"mistral-large":               nil,
	} {
		b := setupModel(t, model, 0)
		_, err := b.client.Generate(t.Context(), calling(), nil)
		require.NoError(t, err)
		calls, results := sentIDs(b.body(0))
		require.Equal(t, calls, results, model)
		if want != nil {
			require.Equal(t, want, calls, model)
			continue
		}
		for _, id := range calls {
			require.Regexp(t, "^[a-zA-Z0-9]{9}$", id, "the only form that Mistral takes")
		}
	}
}

func TestGenerate_LearnsThatAServiceTakesNoNamesInIDs(t *testing.T) {
	t.Parallel()
	b := setupModel(t, "kimi-k3", 0)
	b.refuseUnless(400, "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", func(body map[string]any) bool {
		calls, _ := sentIDs(body)
		return !strings.Contains(strings.Join(calls, ""), ":")
	})
	for range 2 {
		_, err := b.client.Generate(t.Context(), calling(), nil)
		require.NoError(t, err)
	}
	require.Equal(t, 3, b.Count(), "it is learned once")
}
