package queue

import (
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slash"
)

// inherit is what people write where the policy is to decide again.
const inherit = "inherit"

// SendStore keeps whether answers are sent.
type SendStore interface {
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
	SetSessionSend(ctx context.Context, key chat.SessionKey, send string) error
}

// Send is /send: whether answers are sent to the chat.
type Send struct{ Store SendStore }

var _ slash.Runner = Send{}

// Spec is what the command is called.
func (Send) Spec() slash.Spec {
	return slash.Spec{Name: "send", Usage: "[on|off|inherit]", Help: i18n.HelpSend, Group: slash.GroupQueue, Who: slash.Owner}
}

// Run tells or sets it.
func (c Send) Run(ctx context.Context, in slash.Request, args string) (string, error) {
	switch args = strings.ToLower(args); args {
	case "":
		s, _, err := c.Store.Session(ctx, in.Session)
		if s.Send == "" {
			return i18n.Say(in.Lang, i18n.SendAuto), err
		}
		return i18n.Say(in.Lang, i18n.SendSet, s.Send), err
	case "on", "off":
		return i18n.Say(in.Lang, i18n.SendSet, args), c.Store.SetSessionSend(ctx, in.Session, args)
	case inherit:
		return i18n.Say(in.Lang, i18n.SendAuto), c.Store.SetSessionSend(ctx, in.Session, "")
	}
	return "", i18n.Fault(fault.Invalid, i18n.SendUsage)
}
