package slash

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// Caller is who somebody is in a conversation.
type Caller struct {
	Admin, Owner bool
	Direct       bool // nobody else reads the conversation
	Narrow       bool // they write by a token that is for conversations alone
	Resets       bool // they may begin a conversation anew that is not their own
}

// May reports whether they may use a command.
func (s Caller) May(c Spec) bool {
	if s.Narrow && c.Whole {
		return false
	}
	switch c.Who {
	case Anyone:
		return true
	case Owner:
		return s.Owner || s.Admin
	case Resetter:
		return s.Owner || s.Admin || s.Resets
	}
	return s.Admin
}

// People knows who somebody is.
type People interface {
	Caller(ctx context.Context, user chat.UserID, key chat.SessionKey) (Caller, error)
}

// Refusal tells somebody that a command is not for them.
func Refusal(lang i18n.Lang, who Caller, c Spec) string {
	switch {
	case who.Narrow && (c.Whole || c.Who == Admin):
		return i18n.Say(lang, i18n.CommandScope, c.Name)
	case c.Who == Resetter:
		return i18n.Say(lang, i18n.ResetRefused, c.Name)
	case c.Who == Admin:
		return i18n.Say(lang, i18n.CommandAdmins, c.Name)
	}
	return i18n.Say(lang, i18n.CommandOwners, c.Name)
}
