package openai

import (
	"net/http"
	"regexp"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/preset"
	"xbot/internal/llm/wire"
)

// dialect holds the differences between providers in the form of a request. A client starts with a guess and learns from
// refusals. It is a value: learning returns a new one.
type dialect struct {
	thinkDialect

	limit    limit
	noUsage  bool // stream_options is refused
	whole    bool // a stream is refused
	attach   bool // people and model must take turns: a reminder goes into the message before it
	sign     bool // calls of other models need the mark of one that is not signed
	noFormat bool // the form of an answer is refused
	noChoice bool // a tool cannot be forced
	noSingle bool // parallel_tool_calls is refused
	named    bool // the id of a call has the name of its tool
	blind    bool // the model reads no pictures
	lift     bool // of the Responses API: pictures in the results of tools are refused
}

// thinkDialect is how a model is asked to think, and how it gets its thoughts back.
type thinkDialect struct {
	effort    effort
	reasoning reasoning
	noReturn  bool // provider state or encrypted reasoning in the request is refused
	strip     bool // the same, where the request does not ask for thinking
	toolsOnly bool // tools are taken only without reasoning
	noSummary bool // of the Responses API: summaries of the reasoning are refused
}

// effort is the set of think levels that are sent as reasoning_effort. Services and models know more or fewer of them; a level that
// a model does not know is replaced by the next one that it knows, as far as the refusals have shown.
type effort int

const (
	everyEffort   effort = iota // none, minimal, low, medium, high, xhigh
	middleEffort                // minimal, low, medium, high
	classicEffort               // low, medium, high
	noEffort                    // the field is refused
)

// of returns the value to send for a think level, or "".
func (e effort) of(level string) string {
	switch {
	case e == noEffort:
		return ""
	case level == chat.ThinkOff && e == everyEffort:
		return "none"
	case level == chat.ThinkXHigh && e != everyEffort:
		return chat.ThinkHigh
	case (level == chat.ThinkOff || level == chat.ThinkMinimal) && e == classicEffort:
		return chat.ThinkLow
	case level == chat.ThinkOff:
		return chat.ThinkMinimal
	}
	return level
}

// thinks reports whether a request asks a model to think.
func (d dialect) thinks(model string, req llm.Request) bool {
	return req.Effort != chat.ThinkOff && d.effort.of(req.Effort) != "" && !d.withoutThought(model, req)
}

// fewer returns an effort that avoids a refusal of the field: fewer levels if the refusal is about the level, and no
// field if it is about the field.
func (e effort) fewer(text string) effort {
	if wire.HasAny(text, "unsupported value", "supported values", "invalid value", "does not support '", "must be one of", "input should be", "expected one of", "valid values") {
		return min(e+1, noEffort)
	}
	return noEffort
}

// levelRefused is how OpenAI refuses a level that a model does not know, without naming the field (microsoft/vscode#301045):
// "Unsupported value: 'xhigh' is not supported with the 'gpt-5-mini' model. Supported values are: …"
var levelRefused = regexp.MustCompile(`unsupported value: '(?:` + strings.Join(append([]string{"none"}, chat.ThinkLevels...), "|") + `)'`)

// effortRefused reports whether a refusal is about how much the model is to think.
func effortRefused(text string) bool {
	return strings.Contains(text, "reasoning_effort") || strings.Contains(text, "reasoning effort") || strings.Contains(text, "reasoning.effort") ||
		levelRefused.MatchString(text)
}

// limit is the field for the limit of the answer.
type limit int

const (
	maxTokens limit = iota
	maxCompletionTokens
	noLimit
)

// name returns the field, "" for none.
func (l limit) name() string {
	switch l {
	case maxTokens:
		return "max_tokens"
	case maxCompletionTokens:
		return "max_completion_tokens"
	default:
		return ""
	}
}

// reasoning is the handling of the reasoning of earlier answers.
type reasoning int

const (
	giveBack   reasoning = iota // where there is some
	giveAlways                  // also empty: the provider misses the field
	withhold                    // the provider refuses the field
)

// firstDialect returns the dialect for a provider and model. OpenAI calls max_tokens deprecated, and its reasoning models refuse it;
// other providers know only max_tokens. OpenAI's older models refuse all fields about reasoning (pydantic/pydantic-ai#2865).
func firstDialect(base, model string) dialect {
	known, _ := preset.Of(base)
	d := dialect{attach: known.Has(preset.TakesTurns)}
	d.sign = known.Has(preset.SignedCalls) && !strings.Contains(model, "gemini-1") && !strings.Contains(model, "gemini-2") // these sign nothing
	if known.Has(preset.NewerLimit) || isReasoningModel(model) {
		d.limit = maxCompletionTokens
	}
	if known.Has(preset.RefusesThoughts) {
		d.reasoning = withhold
	}
	name := model[strings.LastIndexByte(model, '/')+1:]
	d.named = strings.Contains(strings.ToLower(name), "kimi")
	if strings.HasPrefix(name, "gpt-4") || strings.HasPrefix(name, "gpt-3") || strings.HasPrefix(name, "chatgpt-") {
		d.noSummary, d.noReturn = true, true
	}
	return d
}

// isReasoningModel reports whether the name belongs to a family of reasoning models.
func isReasoningModel(model string) bool {
	name := model[strings.LastIndexByte(model, '/')+1:]
	for _, family := range []string{"gpt-5", "gpt-6", "o1", "o3", "o4"} {
		if name == family || strings.HasPrefix(name, family+"-") || strings.HasPrefix(name, family+".") {
			return true
		}
	}
	return false
}

// learn returns a dialect that avoids what a refusal complains about, and false when it complains about something else
// or about something that was avoided already. Each change can happen once, so that learning ends.
func (d dialect) learn(r *wire.Refusal) (dialect, bool) {
	if r.Status != http.StatusBadRequest && r.Status != http.StatusUnprocessableEntity {
		return d, false
	}
	text := r.Text()
	next := d
	switch {
	case d.named && idRefused(text):
		next.named = false
	case !d.sign && signatureMissed(text):
		next.sign = true
	case !d.strip && wire.ThoughtsRefused(text):
		next.strip = true
	case !d.noReturn && stateRefused(text):
		next.noReturn, next.sign = true, false
	case strings.Contains(text, "reasoning_content"):
		if d.reasoning != giveBack {
			return d, false
		}
		next.reasoning = withhold
		if strings.Contains(text, "must be") || strings.Contains(text, "missing") || strings.Contains(text, "required") {
			next.reasoning = giveAlways
		}
	case d.askRefused(&next, text):
	case d.itemsRefused(&next, text):
	case !d.toolsOnly && strings.Contains(text, "function tools with reasoning_effort"): // OpenAI (BerriAI/litellm#34569)
		next.toolsOnly = true
	case effortRefused(text):
		next.effort = d.effort.fewer(text)
	case turnsRefused(text):
		next.attach = true
	case !d.whole && streamRefused.MatchString(text):
		next.whole = true
	case strings.Contains(text, "stream_options") || strings.Contains(text, "include_usage"):
		next.noUsage = true
	case wire.LimitRefused(text):
		next.limit = noLimit
	case strings.Contains(text, "max_completion_tokens") && strings.Contains(text, "max_tokens"):
		// "Unsupported parameter: 'max_tokens' … Use 'max_completion_tokens' instead.", or the other way round
		next.limit = otherLimit(d.limit)
	case strings.Contains(text, "max_completion_tokens"):
		next.limit = noLimit
		if d.limit == maxCompletionTokens {
			next.limit = maxTokens
		}
	case strings.Contains(text, "extra inputs are not permitted"): // Mistral, Groq
		next.noReturn = true
	}
	return next, next != d
}

// askRefused learns from a refusal of tool_choice, parallel_tool_calls or response_format, and reports whether the refusal is about one.
func (d dialect) askRefused(next *dialect, text string) bool {
	switch {
	case !d.noSingle && strings.Contains(text, "parallel_tool_calls"):
		next.noSingle = true
	case !d.noChoice && strings.Contains(text, "tool_choice"):
		next.noChoice = true
	case !d.noFormat && (strings.Contains(text, "response_format") || strings.Contains(text, "text.format") || strings.Contains(text, "json_schema")):
		next.noFormat = true
	}
	return *next != d
}

// itemsRefused learns from a refusal of a field of the Responses API, and reports whether the refusal is about one.
func (d dialect) itemsRefused(next *dialect, text string) bool {
	has := func(words ...string) bool { return wire.HasAny(text, words...) }
	switch {
	// "Encrypted content is not supported with this model.", "The encrypted content … could not be verified.", and the refusals of
	// reasoning that does not match the items around it (openai/openai-node#1567, vercel/ai#7543)
	case has("encrypted_content", "encrypted content", "'include'", "'include[", "without its required", "items are not persisted"):
		next.noReturn = true
	// "Unsupported parameter: 'reasoning.summary' …", "Your organization must be verified to generate reasoning summaries."
	case has("reasoning.summary", "reasoning summar", "unsupported value: 'auto'"):
		next.noSummary = true
	case has("parameter: 'reasoning'"):
		next.noSummary, next.effort = true, noEffort
	// "Unsupported parameter: max_output_tokens", "Invalid 'max_output_tokens': integer above maximum value."
	case has("max_output_tokens") && !has("context"):
		next.limit = noLimit
	// llama.cpp (ggml-org/llama.cpp#23380), LM Studio (lmstudio-ai/lmstudio-bug-tracker#2248)
	case has("output of tool call should be", "invalid_union", "invalid type for 'input"):
		next.lift = true
	default:
		return false
	}
	return *next != d
}

// streamRefused is how services refuse to stream: an account (continuedev/continue#7129), a model (github/gh-models#31, huggingface/chat-ui#426), or
// a model with tools (earendil-works/pi#3739).
var streamRefused = regexp.MustCompile("verified to stream|'stream' does not support true|[`'\"]stream[`'\"] is not supported|unsupported for streaming|" +
	"not support streaming|in streaming mode")

// signatureMissed reports whether a refusal is about the thought signature that Gemini wants with a call.
func signatureMissed(text string) bool {
	return strings.Contains(text, "missing a thought_signature") || strings.Contains(text, "missing a `thought_signature`")
}

// stateRefused reports whether a refusal is about provider state in the request: the signature is no longer known, or the service behind an
// address does not accept the state that it sent.
func stateRefused(text string) bool {
	return wire.HasAny(text, "reasoning_details", "extra_content", "thought signature", "thinking_blocks", "reasoning_opaque", "reasoning_text") ||
		strings.Contains(text, "signature") && strings.Contains(text, "thinking") || wire.ThoughtsRefused(text)
}

// idRefused reports whether a refusal is about the form of the ids of calls: "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'".
func idRefused(text string) bool {
	return wire.HasAny(text, "tool_use.id", "tool_use_id", "tool_call_id", "tool call id")
}

// turnsRefused reports whether a refusal is about a user message that follows another one or a result: Mistral, and the
// chat templates of Gemma and Llama.
func turnsRefused(text string) bool {
	return strings.Contains(text, "must alternate") || strings.Contains(text, "unexpected role 'user' after role")
}

// otherLimit moves from the old name to the new one, and from the new one to none: a model that refuses both, or asks
// for the one it refused, gets no limit.
func otherLimit(l limit) limit {
	if l == maxTokens {
		return maxCompletionTokens
	}
	return noLimit
}
