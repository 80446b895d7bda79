package conversation

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
	"xbot/internal/turn/slashcommand"
)

// Brancher switches between the branches of a conversation.
type Brancher interface {
	// Branch continues from a version of a message; 0 lists the versions that there are.
	Branch(ctx context.Context, turn chat.TurnID, to chat.MessageID) error
}

// Branch is /branch. A turn runs it, since the conversation must not change during it.
type Branch struct{ Sessions Brancher }

var _ slashcommand.TurnRunner = Branch{}

// Spec describes the command.
func (Branch) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "branch", Aliases: []string{"branches"}, Usage: "[mID]", Help: i18n.HelpBranch, Group: slashcommand.GroupConversation, When: slashcommand.InTurn}
}

// RunInTurn lists the branches, or switches to one.
func (b Branch) RunInTurn(ctx context.Context, o chat.TurnCommand, args string) error {
	back, to, ok := command.Back(args)
	if !ok || back != 0 {
		return i18n.Fault(fault.Invalid, i18n.BranchUsage)
	}
	return b.Sessions.Branch(ctx, o.Turn, chat.MessageID(to))
}
