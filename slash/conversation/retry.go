package conversation

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
	"xbot/internal/turn/slashcommand"
)

// Asker asks messages again.
type Asker interface {
	// AskAgain asks the back-th last message of a user again, or the one with the id to, with text, or else with its old text.
	AskAgain(ctx context.Context, turn chat.TurnID, back int, to chat.MessageID, text string) error
}

// Retry is /retry: a message is asked again, and what was there is kept as another branch. A turn carries it out, since the
// conversation must not change during it.
type Retry struct{ Sessions Asker }

var _ slashcommand.TurnRunner = Retry{}

// Spec describes the command.
func (Retry) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "retry", Aliases: []string{"regenerate"}, Usage: "[N|mID]", Help: i18n.HelpRetry, Group: slashcommand.GroupConversation, When: slashcommand.InTurn}
}

// RunInTurn asks a message again.
func (r Retry) RunInTurn(ctx context.Context, o chat.TurnCommand, args string) error {
	back, to, ok := command.Back(args)
	if !ok {
		return i18n.Fault(fault.Invalid, i18n.AskedUsage)
	}
	if to == 0 {
		back = max(back, 1)
	}
	return r.Sessions.AskAgain(ctx, o.Turn, back, chat.MessageID(to), "")
}
