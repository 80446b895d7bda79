package service

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/internal/tool"
)

//go:embed read_my_conversation.md
var ownDoc string

// OwnName is the name of the tool that reads the consumer's own conversation.
const OwnName = "read_my_conversation"

// Bounds of one answer.
const (
	usualRead = 20
	maxRead   = 100
	maxShown  = 16_000 // characters
	maxText   = 1_500  // characters of one message
)

// minutes is how a time is shown.
const minutes = "2006-01-02 15:04"

// Transcript is what was said with consumers (package services of the store).
type Transcript interface {
	// ConsumerSaid returns messages, the oldest first. There are none in a session that is no consumer's.
	ConsumerSaid(ctx context.Context, session chat.SessionKey, q service.SaidQuery) ([]service.Said, error)
}

type ownParams struct {
	LastN  int    `json:"last_n,omitempty" jsonschema:"default 20, at most 100"`
	Before string `json:"before,omitempty" jsonschema:"message such as m12 that those are older than"`
}

type own struct {
	said  Transcript
	zones tool.Zones
}

// NewOwn returns the tool read_my_conversation. Which conversation it reads is the call's, and nothing that a model writes.
func NewOwn(said Transcript, zones tool.Zones) tool.Tool {
	return tool.Define(OwnName, chat.ClassRead, ownDoc, own{said, zones})
}

func (own) Summary(p ownParams) string { return p.Before }

func (o own) Run(ctx context.Context, call tool.Call, p ownParams) (chat.ToolResult, error) {
	before, ok := service.ParseMessage(p.Before)
	if !ok {
		return tool.Fail("before is %q; write the number of a message such as m12", tool.Cut(p.Before, 40)), nil
	}
	n := p.LastN
	if n <= 0 {
		n = usualRead
	}
	n = min(n, maxRead)
	said, err := o.said.ConsumerSaid(ctx, call.Session, service.SaidQuery{Before: before, Unseen: true, N: n + 1})
	if err != nil {
		return tool.FromError(fmt.Errorf("read the conversation: %w", err))
	}
	if len(said) == 0 {
		return tool.Text("There is nothing earlier in this conversation beside what you see."), nil
	}
	zone, err := o.zones.Zone(ctx, call.User)
	if err != nil {
		return tool.FromError(err)
	}
	return tool.Text(strings.Join(ownLines(said, n, zone), "\n")), nil
}

// ownLines are the newest n messages as far as they fit, the oldest first, and how to read on. Further lines of a text are indented, so that
// they look like no message of somebody else.
func ownLines(said []service.Said, n int, zone *time.Location) []string {
	more := len(said) > n
	if more {
		said = said[len(said)-n:]
	}
	var lines []string
	room, first := maxShown, said[0].ID
	for i, m := range slices.Backward(said) {
		text := strings.ReplaceAll(tool.Cut(strings.TrimSpace(m.Text), maxText), "\n", "\n  ")
		line := fmt.Sprintf("[m%d %s %s] %s", m.ID, m.At.In(zone).Format(minutes), m.Who(), text)
		if room -= utf8.RuneCountInString(line); room < 0 && len(lines) > 0 {
			more, first = true, said[i+1].ID
			break
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	if more {
		lines = append(lines, fmt.Sprintf("(there is more: before=\"m%d\")", first))
	}
	return lines
}
