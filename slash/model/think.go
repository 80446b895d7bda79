package model

import (
	"context"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/slashcommand"
)

// Think is /think: how much the model thinks in a conversation.
type Think struct {
	Known    Known
	Sessions Conversations
}

var _ slashcommand.Runner = Think{}

// Spec describes the command.
func (Think) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "think", Usage: "[off|minimal|low|medium|high|xhigh|default]", Help: i18n.HelpThink, Group: slashcommand.GroupModel, Who: slashcommand.Owner}
}

// Run sets or shows the level.
func (t Think) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	level := strings.ToLower(args)
	switch {
	case level == "":
		return t.Known.Status(ctx, in.Session, in.Lang)
	case level == "default":
		return i18n.Say(in.Lang, i18n.ThinkDefault), t.Sessions.Override(ctx, in.Session, conversation.Overrides{Think: new("")})
	case slices.Contains(chat.ThinkLevels, level):
		return i18n.Say(in.Lang, i18n.ThinkChosen, level), t.Sessions.Override(ctx, in.Session, conversation.Overrides{Think: &level})
	}
	return "", i18n.Fault(fault.Invalid, i18n.ThinkUsage)
}
