package anthropic_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm"
)

func TestGenerate_ShowsPicturesOfPeopleAndOfResults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.client.Generate(t.Context(), llm.Request{Messages: []llm.Message{
		{Role: "user", Content: "what is this?", Pictures: []llm.Picture{{MediaType: "image/png", Data: []byte("p1")}}},
		{Role: "user", Pictures: []llm.Picture{{MediaType: "image/jpeg", Data: []byte("p2")}}},
		{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: "a", Name: "Read", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "a", Content: "a picture", Pictures: []llm.Picture{{MediaType: "image/png", Data: []byte("p3")}}},
	}}, nil)
	require.NoError(t, err)
	messages := b.body(0)["messages"].([]any)
	first, err := json.Marshal(messages[0])
	require.NoError(t, err)
	require.JSONEq(t, `{"role": "user", "content": [
		{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cDE="}},
		{"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "cDI="}},
		{"type": "text", "text": "what is this?", "cache_control": {"type": "ephemeral"}}]}`, string(first))
	result, err := json.Marshal(messages[2].(map[string]any)["content"].([]any)[0].(map[string]any)["content"])
	require.NoError(t, err)
	require.JSONEq(t, `[{"type": "text", "text": "a picture"}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cDM="}}]`, string(result))
}
