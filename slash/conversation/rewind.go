package conversation

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
	"xbot/internal/turn/slashcommand"
)

// Rewinder takes messages out of conversations.
type Rewinder interface {
	Rewind(ctx context.Context, turn chat.TurnID, back int, to chat.MessageID) error
}

// Rewind is /rewind. A turn runs it, since the conversation must not change during it.
type Rewind struct{ Sessions Rewinder }

var _ slashcommand.TurnRunner = Rewind{}

// Spec describes the command.
func (Rewind) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "rewind", Usage: "[N|mID]", Help: i18n.HelpRewind, Group: slashcommand.GroupConversation, When: slashcommand.InTurn}
}

// RunInTurn takes a message and all after it out of the conversation.
func (r Rewind) RunInTurn(ctx context.Context, o chat.TurnCommand, args string) error {
	back, to, ok := command.Back(args)
	if !ok {
		return i18n.Fault(fault.Invalid, i18n.RewindUsage)
	}
	if to == 0 {
		back = max(back, 1)
	}
	return r.Sessions.Rewind(ctx, o.Turn, back, chat.MessageID(to))
}
