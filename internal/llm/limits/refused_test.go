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
		// https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/546
		"LM Studio": {"Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough.", 32768, 111490},
		// https://github.com/0xku/kon/issues/91
		"vLLM, total": {"This model's maximum context length is 196608 tokens. However, you requested 16384 output tokens and your prompt contains at least 180225 input tokens, for a total of at least 196609 tokens.", 196608, 196609},
		// https://github.com/openclaw/openclaw/issues/134061
		"Copilot":    {"prompt token count of 151316 exceeds the limit of 128000", 128000, 151316},
		"OpenRouter": {"Input length 140000 is too long: maximum allowed input length of 131072 tokens", 131072, 0},
		// https://github.com/sst/opencode/issues/44889
		"llama.cpp, n_keep": {"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 10247 >= n_ctx: 4096)", 4096, 10247},
		// https://github.com/cohere-ai/sandbox-topically/issues/4
		"Cohere":          {"invalid request: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt", 2048, 6354},
		"LM Studio, bare": {"loaded with context length of only 32768 tokens", 32768, 0},
		// https://github.com/llmmllab/llmmllab-api/issues/56
		"llama.cpp, shorter": {"request (53192 tokens) exceeds context size (50176 tokens)", 50176, 53192},
		// https://github.com/Kilo-Org/kilocode/issues/8698
		"vLLM, passed": {"You passed 170753 input tokens and requested 32000 output tokens. However, the model's context length is only 202752 tokens, resulting in a maximum input length of 170752 tokens.", 170752, 170753},
		// https://github.com/leookun/cursor-byok/issues/129
		"SiliconFlow": {"number of input tokens (204703) has exceeded max_prompt_tokens (202752) limit.", 202752, 204703},
		// https://github.com/anomalyco/opencode/issues/35671
		"total tokens": {"total tokens exceeds the model's max of 4096", 4096, 0},
		// https://github.com/mmcdermott/MEDS_EIC_AR/pull/172
		"SGLang, input": {"Input length (9000 tokens) exceeds the maximum allowed length (8192 tokens).", 8192, 9000},
		"nothing":       {"", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, limits.Refusal{Window: c.window, Sent: c.sent}, limits.Refused(400, c.text))
		})
	}
}

// A limit by the minute and the size of a body are no property of the model: the next request may be longer.
func TestRefused_TellsTheWindowFromARateAndTheSizeOfABody(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		text   string
		want   limits.Refusal
	}{
		// https://github.com/vanna-ai/vanna-flask/issues/11
		"OpenAI, a minute": {429, "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully.", limits.Refusal{Window: 30000, Sent: 342389, Once: true}},
		// https://github.com/continuedev/continue/issues/10218
		"Groq, a minute": {413, "Request too large for model `llama-3.3-70b-versatile` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again.", limits.Refusal{Window: 12000, Sent: 14137, Once: true}},
		"Groq, a day":    {413, "rate_limit_exceeded Request too large for model x on tokens per day (TPD): Limit 100000, Requested 120000", limits.Refusal{Window: 100000, Sent: 120000, Once: true}},
		"Anthropic, 413": {413, "request_too_large Request exceeds the maximum size", limits.Refusal{Once: true}},
		"a bare 413":     {413, "Request Entity Too Large", limits.Refusal{Once: true}},
		"nginx":          {413, "it answered with a web page", limits.Refusal{Once: true}},
		// https://github.com/google-gemini/gemini-cli/issues/13776
		"Gemini CLI": {413, "Maximum request body size 1048576 exceeded, actual body size 1056562", limits.Refusal{Once: true}},
		// https://github.com/google-gemini/deprecated-generative-ai-android/issues/26
		"Gemini": {400, "Request payload size exceeds the limit: 4194304 bytes.", limits.Refusal{Once: true}},
		// https://github.com/gpt4free/g4f.dev/issues/24
		"g4f": {413, "Request body too large, the maximum is 50KB", limits.Refusal{Once: true}},
		// https://github.com/cline/cline/issues/2115
		"GitHub Models": {413, "Request body too large for gpt-4o model. Max size: 8000 tokens.", limits.Refusal{Window: 8000}},
		"a window, 413": {413, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", limits.Refusal{Window: 8192, Sent: 9000}},
		"no figures":    {400, "Your input exceeds the context window of this model.", limits.Refusal{}},
		// https://github.com/MoonshotAI/kimi-code/issues/1862
		"Kimi": {400, "total message size 2100954 exceeds limit 2097152", limits.Refusal{Once: true}},
		// https://github.com/NousResearch/hermes-agent/issues/61725
		"Z.AI": {400, "1210 tokens in request more than max tokens allowed", limits.Refusal{}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, limits.Refused(c.status, c.text))
		})
	}
}

func FuzzRefused(f *testing.F) {
	f.Add(400, "maximum context length is 8,192 tokens")
	f.Add(413, "limit 30000, requested 35000 per min")
	f.Fuzz(func(t *testing.T, status int, text string) {
		r := limits.Refused(status, text)
		require.GreaterOrEqual(t, r.Window, 0)
		require.GreaterOrEqual(t, r.Sent, 0)
	})
}
