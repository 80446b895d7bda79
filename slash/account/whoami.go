package account

import (
	"context"
	"strings"
	"time"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/i18n"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/links"
	"xbot/internal/user/users"
)

// CodingAgents reads the threads of coding agents.
type CodingAgents interface {
	// CodingThread is with which thread of a coding agent a conversation continues; nil: with none.
	CodingThread(ctx context.Context, key chat.SessionKey) (*codingagent.Binding, error)
}

// Conversations reads sessions.
type Conversations interface {
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
}

// Links links platform accounts to users, and unlinks them.
type Links interface {
	Unlink(ctx context.Context, l links.Link) (links.Unlinked, error)
	UseLinkCode(ctx context.Context, l links.Link) (links.Linked, error)
}

// MemoryStore is the store of user profiles.
type MemoryStore interface {
	Profile(ctx context.Context, user chat.UserID) (chat.UserProfile, error)
	SetProfile(ctx context.Context, user chat.UserID, p chat.UserProfile) (chat.UserProfile, error)
}

// Turns runs the transactions of turns.
type Turns interface {
	IdentitiesOf(ctx context.Context, user chat.UserID) ([]string, error)
	WorkOf(ctx context.Context, turn chat.TurnID) (engine.Work, error)
	Zone(ctx context.Context, user chat.UserID) (*time.Location, error)
}

// Users reads users and the owners of sessions.
type Users interface {
	SessionOwner(ctx context.Context, key chat.SessionKey) (users.User, error)
	UserByID(ctx context.Context, user chat.UserID) (users.User, error)
}

// Whoami is /whoami: the identity of a user on the server.
type Whoami struct {
	Conversations Conversations
	Turns         Turns
	Users         Users
}

var _ slashcommand.Runner = Whoami{}

// Spec describes the command.
func (Whoami) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "whoami", Help: i18n.HelpWhoami, Group: slashcommand.GroupYou, Inline: true}
}

// Run returns the identity.
func (w Whoami) Run(ctx context.Context, in slashcommand.Request, _ string) (string, error) {
	user, err := w.Users.UserByID(ctx, in.User)
	if err != nil {
		return "", err
	}
	_, owner, err := w.Conversations.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	known, err := w.Turns.IdentitiesOf(ctx, in.User)
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
