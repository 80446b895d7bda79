package chat_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestUsage_AddsEachCount(t *testing.T) {
	sum := chat.Usage{PromptTokens: 1, CachedTokens: 2, CompletionTokens: 3}.Add(chat.Usage{PromptTokens: 10, CachedTokens: 20, CompletionTokens: 30})
	require.Equal(t, chat.Usage{PromptTokens: 11, CachedTokens: 22, CompletionTokens: 33}, sum)
}

func TestToolCall_KeepsTheProvidersIDToItself(t *testing.T) {
	data, err := json.Marshal(chat.ToolCall{ID: "t.0.0", ProviderID: "call_0", Name: "Read"})
	require.NoError(t, err)
	require.NotContains(t, string(data), "call_0")
}
