package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// planAgain restores the to-do list from the conversation: as written by the last call that is still in it.
func planAgain(ctx context.Context, t *pg.Tx, key chat.SessionKey) error {
	written, err := dbsqlc.Q.TodosWritten(ctx, t, key)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("look for an earlier to-do list: %w", err)
	}
	todos := writtenTodos(written.Arguments)
	if written.Plan != nil {
		todos = written.Plan.Todos()
	}
	items, err := json.Marshal(todos)
	if err != nil {
		return fmt.Errorf("encode to-dos: %w", err)
	}
	if err := dbsqlc.Q.TodosSet(ctx, t, dbsqlc.TodosSetParams{SessionKey: key, Items: items}); err != nil {
		return fmt.Errorf("write to-dos: %w", err)
	}
	t.Emit(key, chat.EventTodos, todos)
	return nil
}

// writtenTodos reads the arguments of a call of todo_write that succeeded: entries without an id get the number of their
// position. Unreadable arguments are an empty list.
func writtenTodos(arguments string) []chat.Todo {
	todos := []chat.Todo{}
	var said struct {
		Todos []chat.Todo `json:"todos"`
	}
	if json.Unmarshal([]byte(arguments), &said) != nil {
		return todos
	}
	for i, todo := range said.Todos {
		if todo.ID = strings.TrimSpace(todo.ID); todo.ID == "" {
			todo.ID = strconv.Itoa(i + 1)
		}
		todo.Text = strings.Join(strings.Fields(todo.Text), " ")
		todos = append(todos, todo)
	}
	return todos
}

// planOf gives a copy the to-do list at the point where the copy ends: that of the original, unless a call or a reset has
// changed it after that point.
func planOf(ctx context.Context, t *pg.Tx, n NewFork, c *copies) error {
	if err := dbsqlc.Q.ForkTodos(ctx, t, dbsqlc.ForkTodosParams{NewKey: n.Key, SessionKey: n.From}); err != nil {
		return err
	}
	began, err := dbsqlc.Q.ForkReset(ctx, t, n.From)
	if err != nil {
		return err
	}
	if began != nil && c.controls[*began] == 0 {
		return planAgain(ctx, t, n.Key)
	}
	written, err := dbsqlc.Q.TodosWritten(ctx, t, n.From)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if _, copied := c.messages[written.MessageID]; copied || err != nil {
		return err
	}
	return planAgain(ctx, t, n.Key)
}
