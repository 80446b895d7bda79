// Package preset is the providers of models that people know by name: where each is reached, which API it speaks, and in what it differs
// from that API. The adapter begins with what is known here, and learns the rest from refusals. docs/operate/models.md lists it.
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
	OpenAI    Dialect = "openai" // chat completions, or Responses where a subscription says so
	Anthropic Dialect = "anthropic"
)

// Quirk is a way in which a provider differs from its API.
type Quirk string

// The quirks of requests: the adapter puts them so from the first one on.
const (
	NewerLimit      Quirk = "newer-limit"      // the limit of an answer is max_completion_tokens
	SignedCalls     Quirk = "signed-calls"     // calls of other models need a mark in place of a signature
	RefusesThoughts Quirk = "refuses-thoughts" // thoughts of earlier answers are refused, also its own
	TakesTurns      Quirk = "takes-turns"      // people and model take turns; a reminder goes into the message before it
)

// The quirks of answers. Adapters read them from every provider, since gateways pass them on.
const (
	StateOnCalls    Quirk = "state-on-calls"    // a call carries state that goes back with it
	StateOnMessages Quirk = "state-on-messages" // an answer carries state that goes back with it
	WantsThoughts   Quirk = "wants-thoughts"    // thoughts of answers with calls go back
	ThoughtsInText  Quirk = "thoughts-in-text"  // thoughts stand in the text, between marks
	ContentInParts  Quirk = "content-in-parts"  // the text is a list of parts
	ErrorsInAnswers Quirk = "errors-in-answers" // errors come with status 200
	WholeTexts      Quirk = "whole-texts"       // a piece may be all of the text so far
	IndexZero       Quirk = "index-zero"        // parallel calls have one index, or none
	RepeatedCalls   Quirk = "repeated-calls"    // the last chunk repeats arguments
	ArgumentObjects Quirk = "argument-objects"  // arguments may be an object in place of text
	UsageElsewhere  Quirk = "usage-elsewhere"   // tokens are counted in a field of its own
	OwnEndings      Quirk = "own-endings"       // finish reasons that the API does not have
)

// Preset is a provider.
type Preset struct {
	Name    string // what a subscription to it is called unless somebody says otherwise
	Title   string
	Dialect Dialect
	Address string // of the API; of OpenAI and Anthropic the adapter's own
	Local   bool   // it runs beside the server, and needs no key
	Quirks  []Quirk
}

// All are the providers, in the order in which they are offered. web/src/models/services.ts has the same for the page.
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

// elsewhere are other hosts of a provider.
var elsewhere = map[string]string{
	"api.moonshot.ai": "moonshot", "dashscope-intl.aliyuncs.com": "qwen", "coding.dashscope.aliyuncs.com": "qwen", "api.z.ai": "zhipu",
	"codestral.mistral.ai": "mistral",
}

// Of returns the provider that an address leads to; ok is false for one that is not known. A local server is known by its address alone,
// port included, and anybody may run something else there: its quirks of requests are none.
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

// Setting returns the address as a subscription has it: empty for that of an adapter itself.
func (p Preset) Setting() string {
	if p.Name == string(p.Dialect) {
		return ""
	}
	return p.Address
}
