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

//go:embed inbox.md
var inboxDoc string

// InboxName is the name of the tool that reads the inbox.
const InboxName = "read_inbox"

type inboxParams struct {
	LastN  int    `json:"last_n,omitempty" jsonschema:"default 20, at most 100"`
	Status string `json:"status,omitempty" jsonschema:"unread, read or handled; none: all"`
}

type inbox struct {
	store Store
	zones tool.Zones
}

// NewInbox returns the tool read_inbox. Items that it shows stay unread: no administrator has looked at them.
func NewInbox(store Store, zones tool.Zones) tool.Tool {
	return tool.Define(InboxName, chat.ClassRead, inboxDoc, inbox{store, zones})
}

func (inbox) Summary(p inboxParams) string { return p.Status }

func (b inbox) Run(ctx context.Context, call tool.Call, p inboxParams) (chat.ToolResult, error) {
	status := service.ItemStatus(strings.ToLower(strings.TrimSpace(p.Status)))
	switch status {
	case "", service.ItemUnread, service.ItemRead, service.ItemHandled:
	default:
		return tool.Fail("status is %q; write unread, read or handled, or leave it out", tool.Cut(p.Status, 40)), nil
	}
	items, err := b.store.ItemsOfAdmin(ctx, call.User, status, count(p.LastN))
	if err != nil {
		return tool.FromError(err)
	}
	if len(items) == 0 {
		return tool.Text("There is nothing of the kind in the inbox."), nil
	}
	zone, err := b.zones.Zone(ctx, call.User)
	if err != nil {
		return tool.FromError(err)
	}
	all := make([]service.Quotation, len(items))
	for i, item := range items {
		head := fmt.Sprintf("%s (%s, service %q, conversation %s, %s", item.ID, item.Status, service.OneLine(item.ServiceName, maxName), item.Conversation, item.CreatedAt.In(zone).Format(minutes))
		if item.AnsweredBy != "" {
			head += ", answered by " + service.OneLine(item.AnsweredBy, maxName)
		}
		all[i] = service.Quotation{Head: head + "):", Title: item.Title, Text: item.Message}
	}
	return tool.Text(service.Quote(all, service.MaxText)), nil
}
