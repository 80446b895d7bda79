package limits

import (
	"regexp"
	"strconv"
	"strings"
)

// number is how providers write a count of tokens.
const number = `\(?\s*([\d,_]{3,12})`

// refusals are how providers name the context window, and the size of a request, in the refusal of one that is too long. The
// sources are the tables of refusals in internal/llm/wire and the projects named here. window and sent are the groups of the figures.
var refusals = []struct {
	words        *regexp.Regexp
	window, sent int
}{
	// OpenAI, Azure, DeepSeek, OpenRouter, vLLM: the window, then what was sent
	{regexp.MustCompile(`maximum context length (?:is|of) ` + number + `(?: tokens)?.*?(?:resulted in|requested|request has|contains|your prompt has)[^\d]{0,40}` + number), 1, 2},
	{regexp.MustCompile(`maximum context length (?:is|of) ` + number), 1, 0},
	{regexp.MustCompile(`prompt is too long: ` + number + ` tokens > ` + number), 2, 1},                                                    // Anthropic
	{regexp.MustCompile(number + ` tokens > ` + number + ` maximum`), 2, 1},                                                                // gateways
	{regexp.MustCompile(`exceed context limit: ` + number + ` \+ [\d,]+ > ` + number), 2, 0},                                               // Anthropic, with max_tokens
	{regexp.MustCompile(`input token count ` + number + `\)? exceeds the maximum number of tokens allowed ` + number), 2, 1},               // Gemini
	{regexp.MustCompile(`range of input length should be \[\s*\d+,\s*(\d+)\s*\]`), 1, 0},                                                   // Qwen
	{regexp.MustCompile(`\(length ` + number + `\) is longer than the maximum model length of ` + number), 2, 1},                           // vLLM
	{regexp.MustCompile(number + ` tokens\) is longer than the model's context length ` + number), 2, 1},                                   // SGLang
	{regexp.MustCompile(number + ` tokens\) exceeds the available context size ` + number), 2, 1},                                          // llama.cpp
	{regexp.MustCompile(`requested tokens ` + number + `\) exceed context window of ` + number), 2, 1},                                     // llama-cpp-python
	{regexp.MustCompile(`exceeded model token limit: ` + number), 1, 0},                                                                    // Moonshot
	{regexp.MustCompile(`maximum prompt length is ` + number + ` but the request contains ` + number), 1, 2},                               // xAI
	{regexp.MustCompile(`prompt contains ` + number + ` tokens.*too large for model with ` + number), 2, 1},                                // Mistral
	{regexp.MustCompile("`inputs` tokens \\+ `max_new_tokens` must be <= " + number), 1, 0},                                                // TGI
	{regexp.MustCompile(`input length ` + number + ` exceeds the (?:maximum|model's) (?:context|allowed) length(?: of)? ` + number), 2, 1}, // Ollama, TensorRT
}

// Refused reads the refusal of a request that was too long: how many tokens the model takes in all, and how many the request
// had by the provider's count. 0: it does not say.
func Refused(text string) (window, sent int) {
	text = strings.ToLower(text[:min(len(text), 4096)])
	if strings.Contains(text, "per min") || strings.Contains(text, "(tpm)") {
		return 0, 0 // the limit of a minute is no window
	}
	for _, r := range refusals {
		if m := r.words.FindStringSubmatch(text); m != nil {
			window = count(m[r.window])
			if r.sent > 0 {
				sent = count(m[r.sent])
			}
			return window, sent
		}
	}
	return 0, 0
}

func count(figure string) int {
	n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(figure))
	if err != nil {
		return 0
	}
	return n
}
