// Package prompt builds the model's input from a conversation. The static part, system prompt and tool schemas, is the same bytes in every
// step of a session, so that providers can cache it.
package prompt

import (
	"strings"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/tool"
)

// Request builds the call of a step from its system prompt and the transcript as the model sees it.
func Request(system string, lines []chat.Line, tools []tool.Spec) llm.Request {
	r := llm.Request{System: system}
	for _, t := range tools {
		r.Tools = append(r.Tools, llm.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	for _, l := range lines {
		r.Messages = append(append(r.Messages, lateResults(l, r.Messages)...), messages(l)...)
	}
	return r
}

// lateResults returns the message of results of a program's tools that come after another answer: providers refuse, or continue with, a
// conversation that ends with an answer. Elsewhere the results are in the calls right before it, and it is empty.
func lateResults(l chat.Line, before []llm.Message) []llm.Message {
	if l.Message.Origin != chat.OriginClient || len(before) == 0 || before[len(before)-1].Role != "assistant" {
		return nil
	}
	return []llm.Message{{Role: "user", Content: l.Message.Content}}
}

// Static renders the static part of a request as sent to the model, to be stored by its hash.
func Static(r llm.Request) string {
	size := len(r.System)
	for _, t := range r.Tools {
		size += len(toolMark) + len(t.Name) + len(t.Description) + len(t.Parameters) + 2
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteString(r.System)
	for _, t := range r.Tools {
		b.WriteString(toolMark + t.Name + "\n" + t.Description + "\n")
		b.Write(t.Parameters)
	}
	return b.String()
}

func messages(l chat.Line) []llm.Message {
	m := l.Message
	switch m.Role {
	case chat.RoleUser:
		if m.Origin == chat.OriginClient {
			return nil // its results are in the calls
		}
		content := m.Content
		if l.Preface != "" {
			content = l.Preface + "\n" + content
		}
		return []llm.Message{{Role: "user", Content: content}}
	case chat.RoleAssistant:
		return assistant(l)
	}
	return nil // notices are for users
}

func assistant(l chat.Line) []llm.Message {
	m := l.Message
	head := llm.Message{Role: "assistant", Content: m.Content, Reasoning: m.Reasoning, Opaque: l.Opaque}
	if _, ok := l.Deeds(); ok { // a provider does not need the reasoning of a coding agent back
		head.Content, head.Reasoning, head.Opaque = l.ContentForModel(), "", nil
	}
	out := []llm.Message{head}
	for _, c := range m.ToolCalls {
		out[0].ToolCalls = append(out[0].ToolCalls, llm.ToolCall{ID: string(c.ID), Name: c.Name, Arguments: c.Arguments})
		result := llm.Message{Role: "tool", ToolCallID: string(c.ID), Content: c.Result, IsError: c.IsError}
		if c.State != chat.CallDone {
			result.Content, result.IsError = i18n.Say(i18n.English, i18n.CallUnknown), true
		}
		out = append(out, result)
	}
	return out
}
