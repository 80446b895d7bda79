package transcript

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"xbot/internal/chat"
)

// Write writes a conversation, one line per entry.
func Write(w io.Writer, t Transcript) error {
	out := &writer{enc: json.NewEncoder(w)}
	out.enc.SetEscapeHTML(false)
	if err := out.enc.Encode(header{Type: typeSession, Version: Version, ID: t.ID, Timestamp: t.Created.UTC(), Cwd: t.Cwd, Title: t.Title}); err != nil {
		return fmt.Errorf("write transcript: %w", err)
	}
	controls := t.Controls
	for i, m := range t.Messages {
		for len(controls) > 0 && controls[0].Message < m.ID {
			out.control(controls[0], t.Messages[i:])
			controls = controls[1:]
		}
		out.message(m)
	}
	for _, c := range controls {
		out.control(c, nil)
	}
	if out.err != nil {
		return fmt.Errorf("write transcript: %w", out.err)
	}
	return nil
}

// writer chains entries to a path.
type writer struct {
	enc  *json.Encoder
	last *string
	err  error
}

func (w *writer) put(e entry) {
	if w.err != nil {
		return
	}
	e.ParentID = w.last
	e.Timestamp = e.Timestamp.UTC()
	w.err = w.enc.Encode(e)
	w.last = &e.ID
}

func (w *writer) message(m chat.Message) {
	id := entryID(m.ID)
	switch {
	case m.Role == chat.RoleNotice || m.Origin == chat.OriginCommand:
		w.put(entry{Type: typeCustom, ID: id, Timestamp: m.CreatedAt, CustomType: noticeType, Data: &notice{Role: m.Role, Origin: m.Origin, Content: m.Content}})
	case m.Role == chat.RoleUser:
		w.put(entry{Type: typeMessage, ID: id, Timestamp: m.CreatedAt, Message: &message{
			Role: roleUser, Content: contents{{Type: "text", Text: m.Content}}, Timestamp: m.CreatedAt.UnixMilli(), Sender: m.Sender, Origin: m.Origin, Pictures: m.Pictures,
		}})
	case m.Role == chat.RoleAssistant:
		w.put(entry{Type: typeMessage, ID: id, Timestamp: m.CreatedAt, Message: answer(m)})
		for i, c := range m.ToolCalls {
			at := m.CreatedAt
			if c.FinishedAt != nil {
				at = *c.FinishedAt
			}
			if c.State != chat.CallDone {
				continue
			}
			w.put(entry{Type: typeMessage, ID: id + "." + strconv.Itoa(i), Timestamp: at, Message: &message{
				Role: roleToolResult, ToolCallID: string(c.ID), ToolName: c.Name, Content: contents{{Type: "text", Text: c.Result}}, IsError: c.IsError,
				Timestamp: at.UnixMilli(), Pictures: c.Pictures,
			}})
		}
	}
}

func answer(m chat.Message) *message {
	provider, model, found := strings.Cut(m.Model, "/")
	if !found {
		provider, model = "", m.Model
	}
	out := &message{
		Role: roleAssistant, Content: contents{}, Timestamp: m.CreatedAt.UnixMilli(), Provider: provider, Model: model, StopReason: stops[m.FinishReason],
	}
	if m.Reasoning != "" {
		out.Content = append(out.Content, block{Type: "thinking", Thinking: m.Reasoning})
	}
	if m.Content != "" {
		out.Content = append(out.Content, block{Type: "text", Text: m.Content})
	}
	for _, c := range m.ToolCalls {
		out.Content = append(out.Content, block{Type: "toolCall", ID: string(c.ID), Name: c.Name, Arguments: argumentsOf(c.Arguments)})
	}
	if u := m.Usage; u != nil {
		out.Usage = &usage{
			Input: u.PromptTokens - u.CachedTokens, CacheRead: u.CachedTokens, Output: u.CompletionTokens, TotalTokens: u.PromptTokens + u.CompletionTokens,
		}
	}
	return out
}

// control writes a record before the remaining messages.
func (w *writer) control(c chat.Control, left []chat.Message) {
	id := "c" + strconv.FormatInt(int64(c.ID), 10)
	switch {
	case c.Compaction != nil:
		e := entry{Type: typeCompaction, ID: id, Timestamp: c.CreatedAt, Summary: c.Compaction.Summary, TokensBefore: c.Compaction.TokensBefore}
		if len(left) > 0 {
			e.FirstKeptEntryID = entryID(left[0].ID)
		}
		w.put(e)
	case c.Reset != nil:
		w.put(entry{Type: typeReset, ID: id, Timestamp: c.CreatedAt, Reason: c.Reset.Reason})
	}
}

func entryID(id chat.MessageID) string { return "m" + strconv.FormatInt(int64(id), 10) }
