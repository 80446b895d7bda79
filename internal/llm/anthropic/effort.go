package anthropic

import (
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"xbot/internal/chat"
	"xbot/internal/llm"
)

// effort is the way to request a think level. The client learns which one a model accepts.
type effort int

const (
	byBudget effort = iota // so many tokens of thinking
	byWord                 // adaptive thinking with an effort
	adaptive               // adaptive thinking, as much as the model likes
	noEffort               // the model does not think
)

// budgets are the tokens of the think levels.
var budgets = map[string]int64{
	chat.ThinkMinimal: 1024, chat.ThinkLow: 4096, chat.ThinkMedium: 10_240, chat.ThinkHigh: 20_480, chat.ThinkXHigh: 32_000,
}

// words are the efforts of think levels.
var words = map[string]sdk.OutputConfigEffort{
	chat.ThinkMinimal: sdk.OutputConfigEffortLow, chat.ThinkLow: sdk.OutputConfigEffortLow, chat.ThinkMedium: sdk.OutputConfigEffortMedium,
	chat.ThinkHigh: sdk.OutputConfigEffortHigh, chat.ThinkXHigh: sdk.OutputConfigEffortXhigh,
}

// leastBudget is the smallest budget that the API takes, in tokens, and the smallest rest that an answer must keep.
const leastBudget = 1024

// setThinking asks for as much thinking as the request wants, or, if it has no wish, for what the client was made
// with.
func setThinking(out *sdk.MessageNewParams, req llm.Request, origin string, d dialect) {
	freely := sdk.ThinkingConfigParamUnion{OfAdaptive: &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}}
	switch {
	case req.Effort == "":
		if d.thinking {
			out.Thinking = freely
		}
	case req.Effort == chat.ThinkOff || d.effort == noEffort || !mayThink(req.Messages, origin, d):
	case d.effort == byBudget:
		if budget := min(budgets[req.Effort], out.MaxTokens-leastBudget); budget >= leastBudget {
			out.Thinking = sdk.ThinkingConfigParamOfEnabled(budget)
		}
	default:
		out.Thinking = freely
		if d.effort == byWord {
			out.OutputConfig = sdk.OutputConfigParam{Effort: words[req.Effort]}
		}
	}
}

// mayThink reports whether the API lets the model think at this step: not in the middle of a turn whose last calls were
// made without.
func mayThink(messages []llm.Message, origin string, d dialect) bool {
	for _, m := range slices.Backward(messages) {
		switch {
		case m.Role == "assistant":
			kept, ok := parseOpaque(m.Opaque)
			return len(m.ToolCalls) == 0 || ok && !d.noReturn && kept.Origin == origin && kept.fits(m)
		case m.Role == "user" && !m.Volatile:
			return true
		}
	}
	return true
}

// effortRefused reports whether a refusal is about thinking or how much of it.
func effortRefused(text string) bool {
	return strings.Contains(text, "thinking") || strings.Contains(text, "output_config") || strings.Contains(text, "effort")
}

// lessThought returns a dialect that asks for thinking in another way than the one that was refused, or not at all.
func (d dialect) lessThought(text string) dialect {
	switch {
	case strings.Contains(text, "adaptive") && d.effort == byBudget && !d.thinking:
		d.effort = byWord
	case (strings.Contains(text, "output_config") || strings.Contains(text, "effort")) && d.effort == byWord:
		d.effort = adaptive
	case strings.Contains(text, "budget") && d.effort == byBudget:
		d.effort = byWord
	default:
		d.thinking, d.effort = false, noEffort
	}
	return d
}
