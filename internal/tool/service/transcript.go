package service

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

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
)

// minutes is the format of times.
const minutes = "2006-01-02 15:04"

// Transcript reads the messages of conversations with consumers (package servicestore).
type Transcript interface {
	// ConsumerTranscript returns messages, the oldest first. There are none in a session that is no consumer's.
	ConsumerTranscript(ctx context.Context, session chat.SessionKey, q service.TranscriptQuery) ([]service.TranscriptEntry, error)
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
	said, err := o.said.ConsumerTranscript(ctx, call.Session, service.TranscriptQuery{Before: before, Unseen: true, N: n + 1})
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

// ownLines returns the newest n messages as far as they are shown at once, the oldest first, and how to read on. Further lines of a text are
// indented, so that they do not look like a message of another sender.
func ownLines(said []service.TranscriptEntry, n int, zone *time.Location) []string {
	shown := service.Newest(said, n)
	var lines []string
	for _, m := range shown {
		text := strings.ReplaceAll(tool.Cut(strings.TrimSpace(m.Text), service.MaxText), "\n", "\n  ")
		lines = append(lines, fmt.Sprintf("[m%d %s %s] %s", m.ID, m.At.In(zone).Format(minutes), m.Who(), text))
	}
	if len(shown) < len(said) {
		lines = append(lines, fmt.Sprintf("(there is more: before=\"m%d\")", shown[0].ID))
	}
	return lines
}
