package slashcommand

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// Caller is a user's role in a conversation.
type Caller struct {
	Admin, Owner bool
	Direct       bool // only this user reads the conversation
	Narrow       bool // the user writes by a token that is for conversations alone
	Resets       bool // the user may reset a conversation that is not their own
}

// May reports whether the caller may use a command.
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

// People returns the role of a user.
type People interface {
	Caller(ctx context.Context, user chat.UserID, key chat.SessionKey) (Caller, error)
}

// Refusal returns the sentence that refuses a command to a user.
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
