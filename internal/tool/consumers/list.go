package consumers

import (
	"context"
	_ "embed"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/internal/tool"
)

//go:embed list.md
var listDoc string

// ListName is the name of the tool that lists conversations.
const ListName = "list_service_conversations"

type listParams struct {
	Service string `json:"service,omitempty" jsonschema:"name or id of one service"`
	Query   string `json:"query,omitempty" jsonschema:"text to look for"`
}

type list struct {
	store Store
	zones tool.Zones
}

// NewList returns the tool list_service_conversations.
func NewList(store Store, zones tool.Zones) tool.Tool {
	return tool.Define(ListName, chat.ClassRead, listDoc, list{store, zones})
}

func (list) Summary(p listParams) string { return p.Service + " " + p.Query }

func (l list) Run(ctx context.Context, call tool.Call, p listParams) (chat.ToolResult, error) {
	found, err := l.store.ConversationsOfAdmin(ctx, call.User, service.ListQuery{Service: p.Service, Text: p.Query, N: maxListed})
	if err != nil {
		return tool.FromError(err)
	}
	if len(found) == 0 {
		return tool.Text("There is no such conversation with a service of this person."), nil
	}
	zone, err := l.zones.Zone(ctx, call.User)
	if err != nil {
		return tool.FromError(err)
	}
	all := make([]service.Quotation, len(found))
	for i, c := range found {
		all[i] = service.Quotation{Title: c.Title, Head: fmt.Sprintf(
			"%s (service %q, %s, %s, %d messages):", c.ID, service.OneLine(c.Service, maxName), c.Source, c.At.In(zone).Format(minutes), c.Messages)}
	}
	return tool.Text(service.Quote(all, service.MaxText)), nil
}
