package conversation

import (
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
	"xbot/internal/turn/slashcommand"
)

// Edit is /edit: another text is asked in place of a message, and what was there is kept as another branch. A turn carries it out,
// since the conversation must not change during it.
type Edit struct{ Sessions Asker }

var _ slashcommand.TurnRunner = Edit{}

// Spec describes the command.
func (Edit) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "edit", Usage: "[mID] TEXT…", Help: i18n.HelpEdit, Group: slashcommand.GroupConversation, When: slashcommand.InTurn}
}

// RunInTurn asks something else in place of a message.
func (e Edit) RunInTurn(ctx context.Context, o chat.TurnCommand, args string) error {
	back, to, text := 1, int64(0), strings.TrimSpace(args)
	if word, rest := slashcommand.FirstWord(args); strings.HasPrefix(strings.ToLower(word), "m") {
		if _, id, ok := command.Back(word); ok {
			back, to, text = 0, id, rest
		}
	}
	if text == "" {
		return i18n.Fault(fault.Invalid, i18n.EditUsage)
	}
	return e.Sessions.AskAgain(ctx, o.Turn, back, chat.MessageID(to), text)
}
