package openai_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm"
)

// shown is a picture of two bytes.
var shown = llm.Picture{MediaType: "image/png", Data: []byte("p1")}

func TestGenerate_ShowsPicturesInPartsAndElsewhereSendsStrings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.client.Generate(t.Context(), llm.Request{Messages: []llm.Message{
		{Role: "user", Content: "what is this?", Pictures: []llm.Picture{shown, {MediaType: "image/jpeg", Data: []byte("p2")}}},
		{Role: "assistant", Content: "a cat"},
		{Role: "user", Content: "thanks"},
	}}, nil)
	require.NoError(t, err)
	messages, err := json.Marshal(b.body(0)["messages"])
	require.NoError(t, err)
	require.JSONEq(t, `[
		{"role": "user", "content": [
			{"type": "text", "text": "what is this?"},
			{"type": "image_url", "image_url": {"url": "data:image/png;base64,cDE="}},
			{"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,cDI="}}]},
		{"role": "assistant", "content": "a cat"},
		{"role": "user", "content": "thanks"}]`, string(messages))
}

func TestGenerate_ShowsPicturesOfResultsInAMessageOfTheUser(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.client.Generate(t.Context(), llm.Request{Messages: []llm.Message{
		{Role: "user", Content: "look"},
		{Role: "assistant", ToolCalls: []llm.ToolCall{{ID: "z", Name: "Read", Arguments: "{}"}}},
		{Role: "tool", ToolCallID: "z", Content: "a picture", Pictures: []llm.Picture{shown}},
	}}, nil)
	require.NoError(t, err)
	require.Len(t, b.Requests()[0].Messages[3].Pictures, 1, "also where the results come last")
	call := func(id string) llm.ToolCall { return llm.ToolCall{ID: id, Name: "Read", Arguments: "{}"} }
	_, err = b.client.Generate(t.Context(), llm.Request{Messages: []llm.Message{
		{Role: "user", Content: "look"},
		{Role: "assistant", ToolCalls: []llm.ToolCall{call("a"), call("b")}},
		{Role: "tool", ToolCallID: "a", Content: "a picture", Pictures: []llm.Picture{shown}},
		{Role: "tool", ToolCallID: "b", Content: "a text"},
		{Role: "user", Content: "remember the list", Volatile: true},
	}}, nil)
	require.NoError(t, err)
	var messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	all, err := json.Marshal(b.body(1)["messages"])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(all, &messages))
	require.Len(t, messages, 6)
	require.JSONEq(t, `"a picture"`, string(messages[2].Content), "providers take text only there")
	require.JSONEq(t, `"a text"`, string(messages[3].Content))
	require.Equal(t, "user", messages[4].Role)
	require.JSONEq(t, `[{"type": "text", "text": "(What the tools returned as pictures.)"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,cDE="}}]`, string(messages[4].Content))
	require.JSONEq(t, `"remember the list"`, string(messages[5].Content), "what is sent once stays apart")
}
