package conversation

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// Reset is /reset: it resets the conversation, and the text behind the command is its first message.
type Reset struct {
	Answering Answering
	Sessions  Resetter
}

var (
	_ slashcommand.TurnRunner = Reset{}
	_ slashcommand.Splitter   = Reset{}
)

// Spec describes the command.
func (Reset) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "reset", Usage: "[TEXT…]", Help: i18n.HelpReset, Group: slashcommand.GroupConversation, Who: slashcommand.Resetter, Explained: true, When: slashcommand.InTurn}
}

// Split leaves all of it to the message.
func (Reset) Split(_ context.Context, _ chat.UserID, args string) (own, text string) { return "", args }

// RunInTurn resets the conversation.
func (r Reset) RunInTurn(ctx context.Context, o chat.TurnCommand, _ string) error {
	return begin(ctx, r.Sessions, r.Answering, o, "")
}
