package openai_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm/llmtest"
	"xbot/internal/llm/openai"
)

// BenchmarkGenerate measures a plain call against the scripted provider, both in this process: what the model call adds
// to a turn before any model thinks.
func BenchmarkGenerate(b *testing.B) {
	server := llmtest.New(b)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client, err := openai.New(openai.Config{BaseURL: server.BaseURL(), Model: "m", Transport: transport})
	require.NoError(b, err)
	for b.Loop() {
		_, err := client.Generate(b.Context(), ask("say hello, how are you today?"), nil)
		require.NoError(b, err)
	}
}
