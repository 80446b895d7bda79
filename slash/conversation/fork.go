package conversation

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
	"xbot/internal/turn/slashcommand"
)

// Forker copies conversations.
type Forker interface {
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
	// ForkOnce copies a conversation up to the end of the turn of a message, of the back-th last message of a user, or all
	// of it. A second call with the same key finds the copy of the first one.
	ForkOnce(ctx context.Context, key string, from chat.Session, lang i18n.Lang, upto chat.MessageID, back int) (chat.Session, error)
}

// Fork is /fork.
type Fork struct{ Sessions Forker }

var _ slashcommand.Runner = Fork{}

// Spec describes the command.
func (Fork) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "fork", Usage: "[N|mID]", Help: i18n.HelpFork, Group: slashcommand.GroupConversation, Who: slashcommand.Owner}
}

// Run copies the conversation into a new one.
func (f Fork) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	back, upto, ok := command.Back(args)
	if !ok {
		return "", i18n.Fault(fault.Invalid, i18n.ForkUsage)
	}
	from, _, err := f.Sessions.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	key := in.Channel + "\x00" + in.Account + "\x00" + in.PlatformID + "\x00" + string(in.Session)
	made, err := f.Sessions.ForkOnce(ctx, key, from, in.Lang, chat.MessageID(upto), back)
	if err != nil {
		return "", err
	}
	return i18n.Say(in.Lang, i18n.Forked, made.Title, made.Key), nil
}
