package consumers

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/internal/tool"
)

//go:embed read.md
var readDoc string

// ReadName is the name of the tool that reads a conversation.
const ReadName = "read_service_conversation"

type readParams struct {
	Conversation string `json:"conversation" jsonschema:"id, as list_service_conversations and read_inbox name it"`
	LastN        int    `json:"last_n,omitempty" jsonschema:"default 20, at most 100"`
	Before       string `json:"before,omitempty" jsonschema:"message such as m12 that those are older than"`
}

type read struct {
	store Store
	zones tool.Zones
}

// NewRead returns the tool read_service_conversation.
func NewRead(store Store, zones tool.Zones) tool.Tool {
	return tool.Define(ReadName, chat.ClassRead, readDoc, read{store, zones})
}

func (read) Summary(p readParams) string { return p.Conversation + " " + p.Before }

func (r read) Run(ctx context.Context, call tool.Call, p readParams) (chat.ToolResult, error) {
	before, ok := service.ParseMessage(p.Before)
	if !ok {
		return tool.Fail("before is %q; write the number of a message such as m12", tool.Cut(p.Before, 40)), nil
	}
	n := count(p.LastN)
	said, err := r.store.AdminTranscript(ctx, call.User, strings.TrimSpace(p.Conversation), service.TranscriptQuery{Before: before, N: n + 1})
	if err != nil {
		return tool.FromError(err)
	}
	if len(said) == 0 {
		return tool.Text("Nothing was said there."), nil
	}
	zone, err := r.zones.Zone(ctx, call.User)
	if err != nil {
		return tool.FromError(err)
	}
	shown := service.Newest(said, n)
	all := make([]service.Quotation, len(shown))
	for i, m := range shown {
		all[i] = service.Quotation{Head: fmt.Sprintf("[m%d %s %s]", m.ID, m.At.In(zone).Format(minutes), m.Who()), Text: m.Text}
	}
	text := service.Quote(all, service.MaxText)
	if len(shown) < len(said) {
		text += fmt.Sprintf("\n\n(there is more: before=\"m%d\")", shown[0].ID)
	}
	return tool.Text(text), nil
}
