package openai

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFirstDialect_IsWhatIsKnownOfTheProvider(t *testing.T) {
	t.Parallel()
	const gemini = "https://generativelanguage.googleapis.com/v1beta/openai"
	for _, c := range []struct {
		base, model string
		want        dialect
	}{
		{DefaultBaseURL, "gpt-x", dialect{limit: maxCompletionTokens}},
		{"http://127.0.0.1:8000/v1", "gpt-5-mini", dialect{limit: maxCompletionTokens}},
		{DefaultBaseURL, "gpt-4o", dialect{limit: maxCompletionTokens, thinkDialect: thinkDialect{noSummary: true, noReturn: true}}},
		{gemini, "gemini-3-pro", dialect{sign: true, thinkDialect: thinkDialect{reasoning: withhold}}},
		{gemini, "gemini-2.5-pro", dialect{thinkDialect: thinkDialect{reasoning: withhold}}},
		{"https://api.mistral.ai/v1", "mistral-large", dialect{attach: true, thinkDialect: thinkDialect{reasoning: withhold}}},
		{"https://api.deepseek.com/v1", "deepseek-chat", dialect{}},
		{"https://somewhere.example.org/v1", "m", dialect{}},
		{"https://openrouter.ai/api/v1", "moonshotai/Kimi-K2.7-Code", dialect{named: true}},
	} {
		require.Equal(t, c.want, firstDialect(c.base, c.model), "%s %s", c.base, c.model)
	}
}
