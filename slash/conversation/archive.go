package conversation

import (
	"context"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slash"
)

// Shelver stores whether conversations are in the lists of their users.
type Shelver interface {
	SetShelf(ctx context.Context, key chat.SessionKey, shelf chat.ListState) error
}

// Archive is /archive.
type Archive struct{ Sessions Shelver }

var _ slash.Runner = Archive{}

// Spec describes the command.
func (Archive) Spec() slash.Spec {
	return slash.Spec{Name: "archive", Usage: "[off]", Help: i18n.HelpArchive, Group: slash.GroupConversation, Who: slash.Owner}
}

// Run puts the conversation away, or back into the list.
func (a Archive) Run(ctx context.Context, in slash.Request, args string) (string, error) {
	shelf, said := chat.Archived, i18n.ArchivedNow
	switch strings.ToLower(args) {
	case "":
	case "off":
		shelf, said = chat.Listed, i18n.ArchivedOff
	default:
		return "", i18n.Fault(fault.Invalid, i18n.ArchiveUsage)
	}
	if err := a.Sessions.SetShelf(ctx, in.Session, shelf); err != nil {
		return "", err
	}
	return i18n.Say(in.Lang, said), nil
}
