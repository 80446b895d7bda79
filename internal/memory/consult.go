package memory

import (
	"context"
	"fmt"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/tool"
)

// maxConsults is how many answers of the model a Consult takes before it gives up.
const maxConsults = 3

// Consult asks a model that must answer by calling one tool, whose arguments are read into a P. The model gets the error of
// check for what cannot be used, twice at most. Unavailable: it wrote nothing usable.
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

// nonEmpty is a text that no provider refuses for being empty.
func nonEmpty(text string) string {
	if strings.TrimSpace(text) == "" {
		return "…"
	}
	return text
}
