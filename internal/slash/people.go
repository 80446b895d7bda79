package slash

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// Standing is who somebody is in a conversation.
type Standing struct {
	Admin, Owner bool
	Direct       bool // nobody else reads the conversation
}

// May reports whether they may use a command.
func (s Standing) May(c Spec) bool { return c.Who == Anyone || s.Admin || c.Who == Owner && s.Owner }

// People knows who somebody is.
type People interface {
	Standing(ctx context.Context, user chat.UserID, key chat.SessionKey) (Standing, error)
}

// Refusal tells somebody that a command is not for them.
func Refusal(lang i18n.Lang, c Spec) string {
	if c.Who == Admin {
		return i18n.Say(lang, i18n.CommandAdmins, c.Name)
	}
	return i18n.Say(lang, i18n.CommandOwners, c.Name)
}
