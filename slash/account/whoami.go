package account

import (
	"context"
	"strings"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/store"
	"xbot/internal/turn/slash"
)

// IdentityStore knows who people are on channels.
type IdentityStore interface {
	UserByID(ctx context.Context, user chat.UserID) (store.User, error)
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
	IdentitiesOf(ctx context.Context, user chat.UserID) ([]string, error)
}

// Whoami is /whoami: as whom the server knows a person.
type Whoami struct{ Store IdentityStore }

var _ slash.Runner = Whoami{}

// Spec is what the command is called.
func (Whoami) Spec() slash.Spec {
	return slash.Spec{Name: "whoami", Help: i18n.HelpWhoami, Group: slash.GroupYou, Inline: true}
}

// Run tells it.
func (w Whoami) Run(ctx context.Context, in slash.Request, _ string) (string, error) {
	user, err := w.Store.UserByID(ctx, in.User)
	if err != nil {
		return "", err
	}
	_, owner, err := w.Store.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	known, err := w.Store.IdentitiesOf(ctx, in.User)
	if err != nil {
		return "", err
	}
	role := i18n.WhoamiMember
	if user.Admin {
		role = i18n.WhoamiAdmin
	}
	lines := []string{
		i18n.Say(in.Lang, i18n.WhoamiUser, markdown.Quoted(user.Name), i18n.Say(in.Lang, role)),
		i18n.Say(in.Lang, i18n.WhoamiChannel, markdown.Quoted(strings.TrimSuffix(in.Channel+":"+in.Account, ":"))),
	}
	if len(known) > 0 {
		for i := range known {
			known[i] = markdown.Quoted(known[i])
		}
		lines = append(lines, i18n.Say(in.Lang, i18n.WhoamiIdentities, strings.Join(known, ", ")))
	}
	if owner == in.User {
		lines = append(lines, i18n.Say(in.Lang, i18n.WhoamiOwner))
	}
	return i18n.Row(in.Lang, lines...), nil
}
