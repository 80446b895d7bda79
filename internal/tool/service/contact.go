// Package service holds the tools that only agents of services have, in conversations with consumers: they come by a source
// and are not shown to users of the installation.
package service

import (
	"context"
	_ "embed"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/service"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
)

//go:embed contact_admin.md
var contactDoc string

// ContactName is the name of the tool that asks an administrator.
const ContactName = "contact_admin"

// Inbox stores the requests of consumers (package servicestore).
type Inbox interface {
	ContactAdmin(ctx context.Context, c service.Contact) (service.Contacted, error)
}

// NewContact returns the tool. A call that runs again finds what it has asked.
func NewContact(inbox Inbox) tool.Tool {
	return tool.Define(ContactName, chat.ClassIdempotent, contactDoc, contact{inbox}, tool.Inward)
}

type contactParams struct {
	Message string `json:"message" jsonschema:"who wants what, at most 4000 characters"`
}

type contact struct{ inbox Inbox }

func (contact) Summary(p contactParams) string { return p.Message }

func (c contact) Run(ctx context.Context, call tool.Call, p contactParams) (chat.ToolResult, error) {
	got, err := c.inbox.ContactAdmin(ctx, service.Contact{Session: call.Session, Call: call.ID, Message: p.Message})
	switch {
	case fault.Is(err, fault.RateLimited): // the model can report it to the consumer; to try again at once would not help
		return chat.ToolResult{Content: "Not sent: " + err.Error() + ". Tell the visitor so.", IsError: true}, nil
	case err != nil:
		return tool.FromError(err)
	case got.Told:
		return tool.Textf("Sent as %s. The administrator is being told in their chat now; their answer will come into this conversation.", got.ID), nil
	}
	return tool.Textf("Sent as %s. The administrator will see it when they look into their inbox; their answer will come into this conversation.", got.ID), nil
}

// Services reads services.
type Services interface {
	Service(ctx context.Context, id string) (service.Service, error)
}

// Source brings the tools to the conversations of consumers: those that every service has, and those that its capabilities bring.
type Source struct {
	services Services
	own      tool.Tool
	contact  tool.Tool
}

var _ toolset.OutsideSource = Source{}

// NewSource returns the source.
func NewSource(services Services, inbox Inbox, own tool.Tool) Source {
	return Source{services, own, NewContact(inbox)}
}

// ServesOutside implements toolset.OutsideSource.
func (Source) ServesOutside() {}

// Tools returns them, or nothing. No rule of the installation's users names them.
func (s Source) Tools(ctx context.Context, at toolset.Place) ([]tool.Tool, error) {
	id, _, ok := service.Of(at.Session)
	if !ok {
		return nil, nil
	}
	one, err := s.services.Service(ctx, id)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case one.Can(service.HumanChat):
		return []tool.Tool{s.own, s.contact}, nil
	}
	return []tool.Tool{s.own}, nil
}
