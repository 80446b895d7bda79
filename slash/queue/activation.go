// Package queue has the slash commands about how messages wait, which are answered, and where answers are delivered.
package queue

import (
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/session"
	"xbot/internal/turn/slashcommand"
)

// Activation is /activation: which messages of a group are for the bot.
type Activation struct {
	Conversations Conversations
	Routing       Routing
}

var _ slashcommand.Runner = Activation{}

// Spec describes the command.
func (Activation) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "activation", Usage: "[mention|always|inherit]", Help: i18n.HelpActivation, Group: slashcommand.GroupQueue, Who: slashcommand.Owner}
}

// Run shows or sets the activation.
func (c Activation) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	s, _, err := c.Conversations.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	if s.ChatType == chat.ChatDirect {
		return i18n.Say(in.Lang, i18n.ActivationDirect), nil
	}
	switch args = strings.ToLower(args); args {
	case "":
		if s.Activation == "" {
			return i18n.Say(in.Lang, i18n.ActivationAuto), nil
		}
		return i18n.Say(in.Lang, i18n.ActivationSet, s.Activation), nil
	case session.ActivationMention, session.ActivationAlways:
		return i18n.Say(in.Lang, i18n.ActivationSet, args), c.Routing.SetSessionActivation(ctx, in.Session, args)
	case inherit:
		return i18n.Say(in.Lang, i18n.ActivationAuto), c.Routing.SetSessionActivation(ctx, in.Session, "")
	}
	return "", i18n.Fault(fault.Invalid, i18n.ActivationUsage)
}
