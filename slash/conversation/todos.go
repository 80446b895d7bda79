package conversation

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/slashcommand"
	"xbot/internal/user/users"
)

// todosShown is how many lists /todos shows in addition to that of the conversation.
const todosShown = 20

// Conversations creates, reads and configures sessions, and reads their to-do lists.
type Conversations interface {
	CreateSession(ctx context.Context, s conversation.NewSession) (made bool, err error)
	Override(ctx context.Context, key chat.SessionKey, o conversation.Overrides) error
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
	Todos(ctx context.Context, key chat.SessionKey) ([]chat.Todo, error)
}

// CronStore returns the current time of the database.
type CronStore interface {
	Clock(ctx context.Context) (time.Time, error)
}

// PermissionsStore reads the permissions of users.
type PermissionsStore interface {
	UserPermissions(ctx context.Context, key chat.SessionKey) (chat.UserPermissions, error)
}

// Routing sets which conversation a chat continues.
type Routing interface {
	DropAlias(ctx context.Context, alias string) error
	Mine(ctx context.Context, user chat.UserID, limit int) ([]chat.Session, error)
	SetAlias(ctx context.Context, alias string, key chat.SessionKey) error
}

// SearchStore searches messages.
type SearchStore interface {
	Search(ctx context.Context, owner chat.UserID, q string, limit int) ([]chat.Found, error)
	SearchIn(ctx context.Context, owner chat.UserID, key chat.SessionKey, q string, limit int) ([]chat.Found, error)
	TodosElsewhere(ctx context.Context, key chat.SessionKey, most int) ([]chat.TodoList, error)
}

// Turns runs the transactions of turns.
type Turns interface {
	Zone(ctx context.Context, user chat.UserID) (*time.Location, error)
}

// Users reads users and the owners of sessions.
type Users interface {
	SessionOwner(ctx context.Context, key chat.SessionKey) (users.User, error)
	UserByID(ctx context.Context, user chat.UserID) (users.User, error)
}

// Todos is /todos: the open items, here and in the other conversations of a user.
type Todos struct {
	Conversations Conversations
	Search        SearchStore
	Users         Users
}

var _ slashcommand.Runner = Todos{}

// Spec describes the command.
func (Todos) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "todos", Aliases: []string{"todo"}, Help: i18n.HelpTodos, Group: slashcommand.GroupConversation}
}

// Run shows the list of the conversation, and to its owner the open items of their others. A user who shares the
// conversation of another one sees that one's list alone.
func (t Todos) Run(ctx context.Context, in slashcommand.Request, _ string) (string, error) {
	owner, err := t.Users.SessionOwner(ctx, in.Session)
	if err != nil {
		return "", err
	}
	here, err := t.Conversations.Todos(ctx, in.Session)
	if err != nil {
		return "", err
	}
	parts := []string{i18n.Say(in.Lang, i18n.TodosHere) + linesOf(here)}
	if len(here) == 0 {
		parts[0] = i18n.Say(in.Lang, i18n.TodosNone)
	}
	if in.SharesConversation(owner.ID, owner.Group) {
		return parts[0], nil
	}
	others, err := t.Search.TodosElsewhere(ctx, in.Session, todosShown)
	if err != nil {
		return "", err
	}
	for _, l := range others {
		parts = append(parts, fmt.Sprintf("**%s** · `%s`%s", cmp.Or(l.Title, "—"), l.Session, linesOf(l.Todos)))
	}
	return strings.Join(parts, "\n\n"), nil
}

func linesOf(todos []chat.Todo) string {
	var b strings.Builder
	for _, t := range todos {
		mark := " "
		if t.Done {
			mark = "x"
		}
		fmt.Fprintf(&b, "\n- [%s] %s", mark, t.Text)
	}
	return b.String()
}
