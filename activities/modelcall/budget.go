package modelcall

import (
	"time"

	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/llm/limits"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/tokens"
	"xbot/internal/turn/window"
)

// Budget defines how conversations are kept within a model's limits. The zero value is the defaults.
type Budget struct {
	Models             limits.Table
	MaskAt, CompressAt float64 // parts of the context window; 0: window.Limits' own
	Cooldown           int     // answers between two compressions at least
	Mode               string  // of sessions that have chosen none; empty: chat.ContextDefault
	Prune              bool    // old results are cut for each request
	// PruneAfter is how long providers keep what they have read: where the last answer is older, old results are cut. 0: never.
	PruneAfter time.Duration
}

// Limits returns those of the model of a client.
func (b Budget) Limits(client llm.Client) window.Limits { return b.within(b.Models.For(client)) }

func (b Budget) within(m limits.Model) window.Limits {
	return window.Limits{Context: m.Context, Output: m.Output, MaskShare: b.MaskAt, CompressShare: b.CompressAt}
}

// acts reports whether anything may be hidden or compressed in a conversation without a request of the user.
func (b Budget) acts(w chat.Window) bool {
	mode := w.Mode
	if mode == "" {
		mode = b.Mode
	}
	return mode != chat.ContextNone
}

// rested reports whether enough was answered since the last compression for another one.
func (b Budget) rested(w chat.Window) bool {
	if w.Compaction == nil {
		return true
	}
	answers := 0
	for _, l := range w.Lines {
		if l.Message.Role == chat.RoleAssistant {
			answers++
		}
	}
	return answers >= b.Cooldown
}

// messageOverhead is the tokens that providers count for a message and for a call in addition to their texts.
const messageOverhead = 4

// Estimate returns how many tokens a request has by our own vocabulary; Ratios knows what a provider makes of that.
func Estimate(r llm.Request) int {
	return tokens.Count(prompt.Static(r)) + estimateMessages(r.Messages)
}

func estimateMessages(messages []llm.Message) int {
	n := 0
	for _, m := range messages {
		n += messageOverhead + tokens.Count(m.Content) + tokens.Count(m.Reasoning)
		for _, c := range m.ToolCalls {
			n += messageOverhead + tokens.Count(c.Name) + tokens.Count(c.Arguments)
		}
	}
	return n
}

// EstimateLine returns how many tokens a line of a conversation has by our own vocabulary.
func EstimateLine(l chat.Line) int {
	return estimateMessages(prompt.Request("", []chat.Line{l}, nil).Messages)
}
