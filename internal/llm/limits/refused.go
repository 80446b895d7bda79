package limits

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// number matches a provider's notation of a count of tokens.
const number = `\(?\s*([\d,_]{3,12})`

// figures is a phrase with numbers in it; window and sent are the groups of the numbers, 0: it has none.
type figures struct {
	words        *regexp.Regexp
	window, sent int
}

// refusals are how providers name the context window, and the size of a request, in the refusal of one that is too long. The
// sources are the tables of refusals in internal/llm/wire and the projects named here.
var refusals = []figures{
	// vLLM: the window, the limit of the answer, the prompt and the total
	{regexp.MustCompile(`maximum context length (?:is|of) ` + number + `.*?for a total of (?:at least )?` + number), 1, 2},
	// OpenAI, Azure, DeepSeek, OpenRouter, vLLM: the window, then what was sent
	{regexp.MustCompile(`maximum context length (?:is|of) ` + number + `(?: tokens)?.*?(?:resulted in|requested|request has|contains|your prompt has)[^\d]{0,40}` + number), 1, 2},
	{regexp.MustCompile(`maximum context length (?:is|of) ` + number), 1, 0},
	{regexp.MustCompile(`prompt is too long: ` + number + ` tokens > ` + number), 2, 1},                                                                  // Anthropic
	{regexp.MustCompile(number + ` tokens > ` + number + ` maximum`), 2, 1},                                                                              // gateways
	{regexp.MustCompile(`exceed context limit: ` + number + ` \+ [\d,]+ > ` + number), 2, 0},                                                             // Anthropic, with max_tokens
	{regexp.MustCompile(`input token count ` + number + `\)? exceeds the maximum number of tokens allowed ` + number), 2, 1},                             // Gemini
	{regexp.MustCompile(`range of input length should be \[\s*\d+,\s*(\d+)\s*\]`), 1, 0},                                                                 // Qwen
	{regexp.MustCompile(`\(length ` + number + `\) is longer than the maximum model length of ` + number), 2, 1},                                         // vLLM
	{regexp.MustCompile(number + ` tokens\) is longer than the model's context length ` + number), 2, 1},                                                 // SGLang
	{regexp.MustCompile(number + ` tokens\) exceeds (?:the available )?context size ` + number), 2, 1},                                                   // llama.cpp
	{regexp.MustCompile(`requested tokens ` + number + `\) exceed context window of ` + number), 2, 1},                                                   // llama-cpp-python
	{regexp.MustCompile(`exceeded model token limit: ` + number), 1, 0},                                                                                  // Moonshot
	{regexp.MustCompile(`maximum prompt length is ` + number + ` but the request contains ` + number), 1, 2},                                             // xAI
	{regexp.MustCompile(`prompt contains ` + number + ` tokens.*too large for model with ` + number), 2, 1},                                              // Mistral
	{regexp.MustCompile("`inputs` tokens \\+ `max_new_tokens` must be <= " + number), 1, 0},                                                              // TGI
	{regexp.MustCompile(`input length ` + number + `(?: tokens\))? exceeds the (?:maximum|model's) (?:context|allowed) length(?: of)? ` + number), 2, 1}, // Ollama, TensorRT, SGLang
	{regexp.MustCompile(`max size: ` + number + ` tokens`), 1, 0},                                                                                        // GitHub Models, with status 413
	{regexp.MustCompile(`keep the first ` + number + ` tokens.*?context length of only ` + number), 2, 1},                                                // LM Studio
	{regexp.MustCompile(`prompt token count of ` + number + ` exceeds the limit of ` + number), 2, 1},                                                    // GitHub Copilot
	{regexp.MustCompile(`maximum allowed input length of ` + number), 1, 0},                                                                              // OpenRouter
	{regexp.MustCompile(`n_keep: ` + number + ` >= n_ctx: ` + number), 2, 1},                                                                             // llama.cpp
	{regexp.MustCompile(`total number of tokens.*?cannot exceed ` + number + ` - received ` + number), 1, 2},                                             // Cohere
	{regexp.MustCompile(`you passed ` + number + ` input tokens.*?maximum input length of ` + number), 2, 1},                                             // vLLM
	{regexp.MustCompile(`input tokens ` + number + `\) has exceeded max_prompt_tokens ` + number), 2, 1},                                                 // SiliconFlow
	{regexp.MustCompile(`total tokens exceeds the model's max of ` + number), 1, 0},                                                                      // anomalyco/opencode#35671
	{regexp.MustCompile(`context length of only ` + number), 1, 0},                                                                                       // LM Studio
}

// Limits of a rate and of the size of a body. They do not concern the context window, so that only the request that they refuse is affected.
var (
	rates  = regexp.MustCompile(`per[ -](?:second|min|hour|day)|\((?:tpm|tpd|itpm)\)|rate[ _]limit`)
	rate   = figures{regexp.MustCompile(`limit:? ` + number + `,? requested:? ` + number), 1, 2} // OpenAI, Groq
	bodies = regexp.MustCompile(`total message size|payload|entity too large|body size|request body|\bbytes\b|\d ?[kmg]i?b\b|maximum size|request_too_large`)
)

// Refusal is the content of a provider's refusal of a request that was too long.
type Refusal struct {
	Window int  // tokens that a request may have; 0: not given
	Sent   int  // tokens that the request had by the provider's count; 0: not given
	Once   bool // it is about this request alone, the size of its body or a rate, and not about the model's context window
}

// Refused reads the refusal of a request that was too long: its status and words.
func Refused(status int, words string) Refusal {
	words = strings.ToLower(words[:min(len(words), maxRefusal)])
	if rates.MatchString(words) {
		out, _ := rate.read(words)
		out.Once = true
		return out
	}
	for _, f := range refusals {
		if out, ok := f.read(words); ok {
			return out
		}
	}
	return Refusal{Once: status == http.StatusRequestEntityTooLarge || bodies.MatchString(words)}
}

// read returns the figures of a phrase; ok is false if the words do not have it.
func (f figures) read(words string) (out Refusal, ok bool) {
	m := f.words.FindStringSubmatch(words)
	if m == nil {
		return Refusal{}, false
	}
	out.Window = count(m[f.window])
	if f.sent > 0 {
		out.Sent = count(m[f.sent])
	}
	return out, true
}

func count(figure string) int {
	n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(figure))
	if err != nil {
		return 0
	}
	return n
}
