package limits_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm/limits"
)

func TestRefused_ReadsTheWindowInTheWordsOfProviders(t *testing.T) {
	for name, c := range map[string]struct {
		text         string
		window, sent int
	}{
		"OpenAI":           {"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.", 128000, 130000},
		"DeepSeek":         {"This model's maximum context length is 131072 tokens. However, you requested 140000 tokens", 131072, 140000},
		"vLLM":             {"The decoder prompt (length 40123) is longer than the maximum model length of 32768.", 32768, 40123},
		"SGLang":           {"The input (9000 tokens) is longer than the model's context length (8192 tokens).", 8192, 9000},
		"llama.cpp":        {"the request (9000 tokens) exceeds the available context size (8192 tokens)", 8192, 9000},
		"llama-cpp-python": {"Requested tokens (2600) exceed context window of 2048", 2048, 2600},
		"Gemini":           {"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1048576, 1200000},
		"Gemini, bare":     {"The input token count 1200000 exceeds the maximum number of tokens allowed 1048576.", 1048576, 1200000},
		"Mistral":          {"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", 32768, 40000},
		"Moonshot":         {"Invalid request: Your request exceeded model token limit: 8192", 8192, 0},
		"xAI":              {"This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131072, 537812},
		"Anthropic":        {"prompt is too long: 210000 tokens > 200000 maximum", 200000, 210000},
		"Anthropic, limit": {"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", 200000, 0},
		"Qwen":             {"Range of input length should be [1, 129024]", 129024, 0},
		"Responses":        {"Your input exceeds the context window of this model: 9000 tokens > 8000 maximum.", 8000, 9000},
		"without figures":  {"Please reduce the length of the messages or completion.", 0, 0},
		"a minute's limit": {"Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 35000", 0, 0},
		"nothing":          {"", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			window, sent := limits.Refused(c.text)
			require.Equal(t, []int{c.window, c.sent}, []int{window, sent})
		})
	}
}

func FuzzRefused(f *testing.F) {
	f.Add("maximum context length is 8,192 tokens")
	f.Fuzz(func(t *testing.T, text string) {
		window, sent := limits.Refused(text)
		require.GreaterOrEqual(t, window, 0)
		require.GreaterOrEqual(t, sent, 0)
	})
}
