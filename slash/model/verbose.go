package model

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/slashcommand"
)

// Verbose is /verbose: how much of the work a channel shows.
type Verbose struct{ Sessions Conversations }

var _ slashcommand.Runner = Verbose{}

// Spec describes the command.
func (Verbose) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "verbose", Usage: "[off|on|full|default]", Help: i18n.HelpVerbose, Group: slashcommand.GroupModel, Who: slashcommand.Owner}
}

// Run sets or shows the level.
func (v Verbose) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	level := strings.ToLower(args)
	switch {
	case level == "":
		s, _, err := v.Sessions.Session(ctx, in.Session)
		return i18n.Say(in.Lang, i18n.VerboseIs, cmp.Or(s.Verbose, chat.VerboseOff)), err
	case level == "default":
		return i18n.Say(in.Lang, i18n.VerboseIs, chat.VerboseOff), v.Sessions.Override(ctx, in.Session, conversation.Overrides{Verbose: new("")})
	case slices.Contains(chat.Verbosities, level):
		return i18n.Say(in.Lang, i18n.VerboseIs, level), v.Sessions.Override(ctx, in.Session, conversation.Overrides{Verbose: &level})
	}
	return "", i18n.Fault(fault.Invalid, i18n.VerboseUsage)
}
