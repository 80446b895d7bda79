package mcp

import (
	"context"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/conversation"
)

// maxTextBytes bounds each text that is read, maxAnswerBytes that of an answer; longer ones end with a note.
const (
	maxTextBytes   = 20_000
	maxAnswerBytes = 200_000
)

// ReadMessages asks for a part of a conversation.
type ReadMessages struct {
	Session chat.SessionKey `json:"session"`
	After   chat.MessageID  `json:"after,omitempty" jsonschema:"messages after the one of this id; the newest if left out"`
	Limit   int             `json:"limit,omitempty" jsonschema:"how many at most, 1 to 100; 20 if left out"`
}

// MessageList is the part that was asked for.
type MessageList struct {
	Messages []MessageLine `json:"messages"`
	More     bool          `json:"more" jsonschema:"there are others: newer ones where after was given, else older ones"`
}

// MessageLine is one message.
type MessageLine struct {
	ID    chat.MessageID `json:"id"`
	Role  chat.Role      `json:"role" jsonschema:"user, assistant, or notice: xbot itself"`
	Text  string         `json:"text"`
	Tools []string       `json:"tools,omitempty" jsonschema:"the tools that the answer called"`
	Turn  chat.TurnID    `json:"turn,omitempty" jsonschema:"the turn that it belongs to"`
	At    time.Time      `json:"at"`
}

func (s *Server) readMessages(ctx context.Context, _ *sdk.CallToolRequest, in ReadMessages) (MessageList, error) {
	limit, err := limitOf(in.Limit)
	if err != nil {
		return MessageList{}, err
	}
	if in.After < 0 {
		return MessageList{}, fault.Errorf(fault.Invalid, "after is %d; it must be the id of a message, or left out", in.After)
	}
	session, err := s.Own(ctx, in.Session)
	if err != nil {
		return MessageList{}, err
	}
	t, err := s.Conversations.Messages(ctx, session.Key, conversation.Page{After: in.After, Limit: limit})
	if err != nil {
		return MessageList{}, err
	}
	out := MessageList{Messages: []MessageLine{}, More: t.HasMore}
	for _, m := range t.Messages {
		line := MessageLine{ID: m.ID, Role: m.Role, Text: cut(m.Content, maxTextBytes), Turn: m.Turn, At: m.CreatedAt}
		if m.Silent {
			line.Text = "" // users do not see it
		}
		for _, c := range m.ToolCalls {
			line.Tools = append(line.Tools, strings.TrimSpace(c.Name+" "+c.Summary))
		}
		out.Messages = append(out.Messages, line)
	}
	return out, nil
}

// cut shortens a text to at most n bytes, and adds a note behind it.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "\n[cut here; the page shows the rest]"
}
