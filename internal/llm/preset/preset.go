// Package preset lists well-known model providers: the address of each, its API, and how it differs
// from that API. An adapter starts with these quirks and learns others from refusals. docs/operate/models.md has the same list.
package preset

import (
	"net/url"
	"slices"
	"strings"
)

// Dialect is an API.
type Dialect string

// The dialects, by the names of the adapters.
const (
	OpenAI    Dialect = "openai" // chat completions, or Responses if a subscription selects it
	Anthropic Dialect = "anthropic"
)

// Quirk is a way in which a provider differs from its API.
type Quirk string

// Quirks of requests. The adapter applies them from the first request on.
const (
	NewerLimit      Quirk = "newer-limit"      // the limit of an answer is max_completion_tokens
	SignedCalls     Quirk = "signed-calls"     // calls of other models need a mark in place of a signature
	RefusesThoughts Quirk = "refuses-thoughts" // thoughts of earlier answers are refused, also its own
	TakesTurns      Quirk = "takes-turns"      // user and assistant messages alternate; a reminder goes into the message before it
)

// The quirks of answers. Adapters read them from every provider, since gateways pass them on.
const (
	StateOnCalls    Quirk = "state-on-calls"    // a call carries state that goes back with it
	StateOnMessages Quirk = "state-on-messages" // an answer carries state that goes back with it
	WantsThoughts   Quirk = "wants-thoughts"    // thoughts of answers with calls go back
	ThoughtsInText  Quirk = "thoughts-in-text"  // thoughts are part of the text, between marks
	ContentInParts  Quirk = "content-in-parts"  // the text is a list of parts
	ErrorsInAnswers Quirk = "errors-in-answers" // errors come with status 200
	WholeTexts      Quirk = "whole-texts"       // a piece may be all of the text so far
	IndexZero       Quirk = "index-zero"        // parallel calls have one index, or none
	RepeatedCalls   Quirk = "repeated-calls"    // the last chunk repeats arguments
	ArgumentObjects Quirk = "argument-objects"  // arguments may be an object in place of text
	UsageElsewhere  Quirk = "usage-elsewhere"   // token counts are in another field
	OwnEndings      Quirk = "own-endings"       // finish reasons that the API does not have
)

// Preset is a provider.
type Preset struct {
	Name    string // default name of a subscription
	Title   string
	Dialect Dialect
	Address string // of the API; of OpenAI and Anthropic the adapter's own
	Local   bool   // runs on the user's own machine and needs no key
	Quirks  []Quirk
}

// All lists the providers in the order of the page. web/src/models/services.ts has the same list.
var All = []Preset{
	{"openai", "OpenAI", OpenAI, "https://api.openai.com/v1", false, []Quirk{NewerLimit, StateOnMessages}},
	{"anthropic", "Anthropic", Anthropic, "https://api.anthropic.com", false, []Quirk{StateOnMessages, ErrorsInAnswers}},
	{"gemini", "Gemini", OpenAI, "https://generativelanguage.googleapis.com/v1beta/openai", false, []Quirk{SignedCalls, RefusesThoughts, StateOnCalls, IndexZero, OwnEndings}},
	{"openrouter", "OpenRouter", OpenAI, "https://openrouter.ai/api/v1", false, []Quirk{StateOnMessages, ErrorsInAnswers}},
	{"deepseek", "DeepSeek", OpenAI, "https://api.deepseek.com/v1", false, []Quirk{WantsThoughts, UsageElsewhere, OwnEndings}},
	{"moonshot", "Kimi (Moonshot)", OpenAI, "https://api.moonshot.cn/v1", false, []Quirk{WantsThoughts, UsageElsewhere}},
	{"qwen", "Qwen (DashScope)", OpenAI, "https://dashscope.aliyuncs.com/compatible-mode/v1", false, []Quirk{WholeTexts, ErrorsInAnswers}},
	{"zhipu", "GLM (Zhipu)", OpenAI, "https://open.bigmodel.cn/api/paas/v4", false, []Quirk{OwnEndings}},
	{"mistral", "Mistral", OpenAI, "https://api.mistral.ai/v1", false, []Quirk{RefusesThoughts, TakesTurns, ContentInParts}},
	{"ollama", "Ollama on the server", OpenAI, "http://127.0.0.1:11434/v1", true, []Quirk{IndexZero, ThoughtsInText}},
	{"vllm", "vLLM on the server", OpenAI, "http://127.0.0.1:8000/v1", true, []Quirk{ThoughtsInText, RepeatedCalls, ErrorsInAnswers}},
	{"llamacpp", "llama.cpp on the server", OpenAI, "http://127.0.0.1:8080/v1", true, []Quirk{ThoughtsInText, ArgumentObjects, UsageElsewhere}},
	{"lmstudio", "LM Studio on the server", OpenAI, "http://127.0.0.1:1234/v1", true, []Quirk{ThoughtsInText, ErrorsInAnswers}},
}

// elsewhere lists other hosts of a provider.
var elsewhere = map[string]string{
	"api.moonshot.ai": "moonshot", "dashscope-intl.aliyuncs.com": "qwen", "coding.dashscope.aliyuncs.com": "qwen", "api.z.ai": "zhipu",
	"codestral.mistral.ai": "mistral",
}

// Of returns the provider of an address; ok is false for an unknown one. A local server is matched by its address only,
// port included, where another program may run, so it gets no quirks of requests.
func Of(address string) (p Preset, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return Preset{}, false
	}
	host := strings.ToLower(u.Host)
	name := elsewhere[host]
	i := slices.IndexFunc(All, func(p Preset) bool {
		known, err := url.Parse(p.Address)
		return err == nil && known.Host == host || p.Name == name
	})
	if i < 0 {
		return Preset{}, false
	}
	return All[i], true
}

// Has reports whether a provider has a quirk.
func (p Preset) Has(q Quirk) bool { return slices.Contains(p.Quirks, q) }

// Setting returns the address for a subscription: empty for the default of the adapter.
func (p Preset) Setting() string {
	if p.Name == string(p.Dialect) {
		return ""
	}
	return p.Address
}
