package queue

import (
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// inherit is the argument that makes the policy decide again.
const inherit = "inherit"

// Conversations reads sessions.
type Conversations interface {
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
}

// Routing sets when the bot answers in a group, and whether answers reach the channel.
type Routing interface {
	SetSessionActivation(ctx context.Context, key chat.SessionKey, activation string) error
	SetSessionSend(ctx context.Context, key chat.SessionKey, send string) error
}

// Turns runs the transactions of turns.
type Turns interface {
	SetQueue(ctx context.Context, key chat.SessionKey, q chat.Queue) error
}

// Send is /send: whether answers are sent to the chat.
type Send struct {
	Conversations Conversations
	Routing       Routing
}

var _ slashcommand.Runner = Send{}

// Spec describes the command.
func (Send) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "send", Usage: "[on|off|inherit]", Help: i18n.HelpSend, Group: slashcommand.GroupQueue, Who: slashcommand.Owner}
}

// Run shows or sets whether answers are sent.
func (c Send) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	switch args = strings.ToLower(args); args {
	case "":
		s, _, err := c.Conversations.Session(ctx, in.Session)
		if s.Send == "" {
			return i18n.Say(in.Lang, i18n.SendAuto), err
		}
		return i18n.Say(in.Lang, i18n.SendSet, s.Send), err
	case "on", "off":
		return i18n.Say(in.Lang, i18n.SendSet, args), c.Routing.SetSessionSend(ctx, in.Session, args)
	case inherit:
		return i18n.Say(in.Lang, i18n.SendAuto), c.Routing.SetSessionSend(ctx, in.Session, "")
	}
	return "", i18n.Fault(fault.Invalid, i18n.SendUsage)
}
