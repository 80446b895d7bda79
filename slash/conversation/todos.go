package conversation

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/store"
	"xbot/internal/turn/slash"
)

// todosShown is how many lists /todos shows beside that of the conversation.
const todosShown = 20

// TodoStore knows what is left to do.
type TodoStore interface {
	SessionOwner(ctx context.Context, key chat.SessionKey) (store.User, error)
	Todos(ctx context.Context, key chat.SessionKey) ([]chat.Todo, error)
	TodosElsewhere(ctx context.Context, key chat.SessionKey, most int) ([]chat.TodoList, error)
}

// Todos is /todos: what is left to do, here and in the other conversations of a person.
type Todos struct{ Store TodoStore }

var _ slash.Runner = Todos{}

// Spec is what the command is called.
func (Todos) Spec() slash.Spec {
	return slash.Spec{Name: "todos", Aliases: []string{"todo"}, Help: i18n.HelpTodos, Group: slash.GroupConversation}
}

// Run shows the list of the conversation, and to whom it belongs what is left in their others. Who shares somebody else's
// conversation sees that one's list alone.
func (t Todos) Run(ctx context.Context, in slash.Request, _ string) (string, error) {
	owner, err := t.Store.SessionOwner(ctx, in.Session)
	if err != nil {
		return "", err
	}
	here, err := t.Store.Todos(ctx, in.Session)
	if err != nil {
		return "", err
	}
	parts := []string{i18n.Say(in.Lang, i18n.TodosHere) + linesOf(here)}
	if len(here) == 0 {
		parts[0] = i18n.Say(in.Lang, i18n.TodosNone)
	}
	if in.Guest(owner.ID, owner.Group) {
		return parts[0], nil
	}
	others, err := t.Store.TodosElsewhere(ctx, in.Session, todosShown)
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
