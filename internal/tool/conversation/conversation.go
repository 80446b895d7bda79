// Package conversation holds the tools that read a user's other conversations. They are for the roles that are made for it.
package conversation

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/tool"
)

//go:embed list.md
var listDoc string

//go:embed read.md
var readDoc string

// Bounds of one answer.
const (
	maxListed = 40
	maxFound  = 30
	maxRead   = 40    // messages
	maxShown  = 6_000 // characters
	maxText   = 1_500 // characters of one message
)

// minutes is the format of times.
const minutes = "2006-01-02 15:04"

// Past is the messages of the conversations of a user, with the agents whose memory a session has.
type Past interface {
	Conversations(ctx context.Context, user chat.UserID, session chat.SessionKey, n int) ([]chat.Conversation, error)
	// Conversation reads one of them, the oldest message first, before one; 0: the newest. Nothing is in one that is not theirs.
	Conversation(ctx context.Context, user chat.UserID, session, key chat.SessionKey, before chat.MessageID, n int) ([]chat.PastEntry, error)
	SearchPast(ctx context.Context, user chat.UserID, session chat.SessionKey, q chat.PastQuery) ([]chat.PastEntry, error)
}

type listParams struct {
	Query string `json:"query,omitempty" jsonschema:"words to look for; none: those used last"`
}

type list struct {
	past  Past
	zones tool.Zones
}

// NewList returns the tool list_conversations.
func NewList(past Past, zones tool.Zones) tool.Tool {
	return tool.Define("list_conversations", chat.ClassRead, listDoc, list{past, zones})
}

func (list) Summary(p listParams) string { return p.Query }

func (l list) Run(ctx context.Context, call tool.Call, p listParams) (chat.ToolResult, error) {
	zone, err := l.zones.Zone(ctx, call.User)
	if err != nil {
		return tool.FromError(err)
	}
	if strings.TrimSpace(p.Query) != "" {
		return l.find(ctx, call, p.Query, zone)
	}
	all, err := l.past.Conversations(ctx, call.User, call.Session, maxListed)
	if err != nil {
		return tool.FromError(fmt.Errorf("list conversations: %w", err))
	}
	lines := make([]string, len(all))
	for i, c := range all {
		lines[i] = fmt.Sprintf("%s  %s  %s", c.Session, c.At.In(zone).Format(minutes), tool.OneLine(c.Title, 100))
	}
	return listed(lines), nil
}

func (l list) find(ctx context.Context, call tool.Call, q string, zone *time.Location) (chat.ToolResult, error) {
	found, err := l.past.SearchPast(ctx, call.User, call.Session, chat.PastQuery{Text: q, N: maxFound})
	if err != nil {
		return tool.FromError(fmt.Errorf("search conversations: %w", err))
	}
	lines := make([]string, len(found))
	for i, f := range found {
		lines[i] = fmt.Sprintf("%s  %s %s: %s", f.Session, f.At.In(zone).Format(minutes), f.Who, tool.OneLine(f.Text, 200))
	}
	return listed(lines), nil
}

func listed(lines []string) chat.ToolResult {
	if len(lines) == 0 {
		return tool.Text("There is nothing of the kind.")
	}
	return tool.Text(strings.Join(lines, "\n"))
}

type readParams struct {
	Conversation string `json:"conversation" jsonschema:"as list_conversations names it"`
	Before       string `json:"before,omitempty" jsonschema:"message such as m12 that those are older than"`
}

type read struct {
	past  Past
	zones tool.Zones
}

// NewRead returns the tool read_conversation.
func NewRead(past Past, zones tool.Zones) tool.Tool {
	return tool.Define("read_conversation", chat.ClassRead, readDoc, read{past, zones})
}

func (read) Summary(p readParams) string { return strings.TrimSpace(p.Conversation + " " + p.Before) }

func (r read) Run(ctx context.Context, call tool.Call, p readParams) (chat.ToolResult, error) {
	before := int64(0)
	if text := strings.TrimPrefix(strings.TrimSpace(p.Before), "m"); text != "" {
		var err error
		if before, err = strconv.ParseInt(text, 10, 64); err != nil || before <= 0 {
			return tool.Fail("before is %q; write the number of a message such as m12", tool.Cut(p.Before, 40)), nil
		}
	}
	key := chat.SessionKey(strings.TrimSpace(p.Conversation))
	said, err := r.past.Conversation(ctx, call.User, call.Session, key, chat.MessageID(before), maxRead)
	if err != nil {
		return tool.FromError(fmt.Errorf("read the conversation: %w", err))
	}
	if len(said) == 0 {
		return tool.Fail("nothing is there; list_conversations names the conversations"), nil
	}
	zone, err := r.zones.Zone(ctx, call.User)
	if err != nil {
		return tool.FromError(err)
	}
	return tool.Text(transcript(said, zone)), nil
}

// transcript returns the last messages, as many of them as are shown at once, the oldest first.
func transcript(said []chat.PastEntry, zone *time.Location) string {
	var lines []string
	room := maxShown
	for _, m := range slices.Backward(said) {
		text := strings.TrimSpace(m.Text)
		if runes := []rune(text); len(runes) > maxText {
			text = string(runes[:maxText]) + "…"
		}
		line := fmt.Sprintf("[m%d %s %s] %s", m.Message, m.At.In(zone).Format(minutes), m.Who, text)
		if room -= utf8.RuneCountInString(line); room < 0 && len(lines) > 0 {
			break
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}
