package conversation

import (
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// Shelver sets the list that a conversation appears in.
type Shelver interface {
	SetListState(ctx context.Context, key chat.SessionKey, shelf chat.ListState) error
}

// Archive is /archive.
type Archive struct{ Sessions Shelver }

var _ slashcommand.Runner = Archive{}

// Spec describes the command.
func (Archive) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "archive", Usage: "[off]", Help: i18n.HelpArchive, Group: slashcommand.GroupConversation, Who: slashcommand.Owner}
}

// Run puts the conversation away, or back into the list.
func (a Archive) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	shelf, said := chat.Archived, i18n.ArchivedNow
	switch strings.ToLower(args) {
	case "":
	case "off":
		shelf, said = chat.Listed, i18n.ArchivedOff
	default:
		return "", i18n.Fault(fault.Invalid, i18n.ArchiveUsage)
	}
	if err := a.Sessions.SetListState(ctx, in.Session, shelf); err != nil {
		return "", err
	}
	return i18n.Say(in.Lang, said), nil
}
