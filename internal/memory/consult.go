package memory

import (
	"context"
	"fmt"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/tool"
)

// maxConsults is the maximum number of model calls of one Consult.
const maxConsults = 3

// Consult calls a model with one tool, r.Tools[0], and returns the arguments of the model's call of it. If they cannot be decoded or check rejects
// them, the model gets the error and is called again, maxConsults times in all. The error is Unavailable if no answer was usable.
func Consult[P any](ctx context.Context, ask Ask, r llm.Request, check func(*P) error) (P, error) {
	name := r.Tools[0].Name
	var why error
	for n := range maxConsults {
		answer, err := ask(ctx, r)
		if err != nil {
			var none P
			return none, err
		}
		var params P
		call, found := callOf(answer, name)
		if !found {
			why = fmt.Errorf("call %s; nothing else is read", name)
			r.Messages = append(r.Messages, llm.Message{Role: "assistant", Content: nonEmpty(answer.Text)}, llm.Message{Role: "user", Content: why.Error()})
			continue
		}
		if _, why = tool.Decode(call.Arguments, &params); why == nil {
			why = check(&params)
		}
		if why == nil {
			return params, nil
		}
		call.ID = fmt.Sprintf("memory.%d", n) // providers repeat theirs
		r.Messages = append(
			r.Messages, llm.Message{Role: "assistant", Content: answer.Text, Reasoning: answer.Reasoning, Opaque: answer.Opaque, ToolCalls: []llm.ToolCall{call}},
			llm.Message{Role: "tool", ToolCallID: call.ID, Content: "Error: " + why.Error() + "\nCall " + name + " again, mended.", IsError: true},
		)
	}
	var none P
	return none, fault.Errorf(fault.Unavailable, "the model wrote nothing that memory can use: %w", why)
}

// callOf returns the first call of a tool.
func callOf(a llm.Answer, name string) (llm.ToolCall, bool) {
	for _, c := range a.ToolCalls {
		if c.Name == name {
			return c, true
		}
	}
	return llm.ToolCall{}, false
}

// nonEmpty returns text, or an ellipsis if text is blank: some providers refuse empty messages.
func nonEmpty(text string) string {
	if strings.TrimSpace(text) == "" {
		return "…"
	}
	return text
}
