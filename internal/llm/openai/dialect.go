package openai

import (
	"net/http"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/llm/wire"
)

// dialect is what differs between providers in how a request must be put. A client starts with a guess and learns from
// refusals. It is a value: learning makes a new one.
type dialect struct {
	limit     limit
	noUsage   bool // stream_options is refused
	reasoning reasoning
	attach    bool // people and model must take turns: a reminder goes into the message before it
	effort    effort
}

// effort says which think levels are sent as reasoning_effort. Services and models know more or fewer of them; those that
// one does not know become the next one that it knows, as far as that is learnt.
type effort int

const (
	everyEffort   effort = iota // none, minimal, low, medium, high, xhigh
	middleEffort                // minimal, low, medium, high
	classicEffort               // low, medium, high
	noEffort                    // the field is refused
)

// of returns what is sent for a think level, "" for nothing.
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

// fewer returns an effort that avoids what a refusal says of the field: fewer levels where it is about the level, and no
// field where it is about that.
func (e effort) fewer(text string) effort {
	for _, words := range []string{"unsupported value", "supported values", "invalid value", "does not support '", "must be one of", "input should be", "expected one of", "valid values"} {
		if strings.Contains(text, words) {
			return min(e+1, noEffort)
		}
	}
	return noEffort
}

// effortRefused reports whether a refusal is about how much the model is to think.
func effortRefused(text string) bool {
	return strings.Contains(text, "reasoning_effort") || strings.Contains(text, "reasoning effort") || strings.Contains(text, "reasoning.effort")
}

// limit is the name under which the answer's limit is sent.
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

// reasoning says what becomes of the reasoning of earlier answers.
type reasoning int

const (
	giveBack   reasoning = iota // where there is some
	giveAlways                  // also empty: the provider misses the field
	withhold                    // the provider refuses the field
)

// firstDialect guesses. OpenAI calls max_tokens deprecated, and its reasoning models refuse it; others know nothing else.
func firstDialect(base, model string) dialect {
	if strings.HasPrefix(base, "https://api.openai.com/") || isReasoningModel(model) {
		return dialect{limit: maxCompletionTokens}
	}
	return dialect{}
}

// isReasoningModel knows the families by name, wherever they are served.
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
	case strings.Contains(text, "reasoning_content"):
		if d.reasoning != giveBack {
			return d, false
		}
		next.reasoning = withhold
		if strings.Contains(text, "must be") || strings.Contains(text, "missing") || strings.Contains(text, "required") {
			next.reasoning = giveAlways
		}
	case effortRefused(text):
		next.effort = d.effort.fewer(text)
	case turnsRefused(text):
		next.attach = true
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
	}
	return next, next != d
}

// turnsRefused reports whether a refusal is about messages of people that follow each other or a result: Mistral, and the
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
