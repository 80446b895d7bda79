package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm"
	"xbot/internal/llm/llmtest"
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

// https://github.com/ollama/ollama/issues/17301
func TestGenerate_LearnsThatTheModelReadsNoPictures(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Strict()
	b.Handle(func(r llmtest.Request) llmtest.Reply {
		if strings.Contains(string(r.Raw), "base64") {
			return llmtest.Reply{Status: 400, Error: "this model does not support image input (ref: b8bd630e-4a39-4b57-82af-9158ee9d5703)"}
		}
		return llmtest.Reply{Text: "ok"}
	})
	picture := []llm.Picture{{MediaType: "image/png", Data: []byte("p")}}
	for range 2 {
		_, err := b.client.Generate(t.Context(), llm.Request{Messages: []llm.Message{
			{Role: "user", Pictures: picture},
			{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: "a", Name: "Read", Arguments: "{}"}}},
			{Role: "tool", ToolCallID: "a", Content: "a file", Pictures: picture},
		}}, nil)
		require.NoError(t, err)
	}
	require.Equal(t, 3, b.Count(), "it is learned once")
	messages := b.Requests()[2].Messages
	require.Equal(t, "(A picture, which this model cannot read.)", messages[0].Content)
	require.Equal(t, "a file\n(A picture, which this model cannot read.)", messages[2].Content)
}

// https://github.com/ENTERPILOT/GoModel/pull/878
func TestGenerate_ShowsPicturesOfResultsElsewhereWhereTheyAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Strict()
	picture := []llm.Picture{{MediaType: "image/png", Data: []byte("p")}}
	req := llm.Request{Messages: []llm.Message{
		{Role: "user", Content: "x"},
		{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: "a", Name: "Read", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "a", Content: "a file", Pictures: picture},
	}}
	b.Handle(func(r llmtest.Request) llmtest.Reply {
		if r.N == 0 {
			return llmtest.Reply{Status: 400, Error: `messages[2]: tool_result content block type "image" is not supported; only text is allowed`}
		}
		return llmtest.Reply{Text: "ok"}
	})
	for range 2 {
		_, err := b.client.Generate(t.Context(), req, nil)
		require.NoError(t, err)
	}
	require.Equal(t, 3, b.Count(), "it is learned once")
	for _, sent := range b.Requests()[1:] {
		require.Len(t, sent.Messages, 4)
		require.Empty(t, sent.Messages[2].Pictures)
		require.Len(t, sent.Messages[3].Pictures, 1)
	}
}
