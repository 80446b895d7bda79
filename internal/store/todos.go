package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/store/dbsqlc"
	"xbot/internal/store/pg"
)

// planAgain makes the to-do list what the conversation says that it is: as the last call that is still in there wrote it.
func planAgain(ctx context.Context, t *pg.Tx, key chat.SessionKey) error {
	written, err := t.Q.TodosWritten(ctx, t, key)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("look for an earlier to-do list: %w", err)
	}
	todos := writtenTodos(written.Arguments)
	items, err := json.Marshal(todos)
	if err != nil {
		return fmt.Errorf("encode to-dos: %w", err)
	}
	if err := t.Q.TodosSet(ctx, t, dbsqlc.TodosSetParams{SessionKey: key, Items: items}); err != nil {
		return fmt.Errorf("write to-dos: %w", err)
	}
	t.Emit(key, chat.EventTodos, todos)
	return nil
}

// writtenTodos reads the arguments of a call of todo_write that succeeded: entries without an id have the number of their
// place. What cannot be read is no list.
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

// planOf gives a copy the to-do list of where it ends: that of the original, unless it was written, or cleared by a reset,
// after that.
func planOf(ctx context.Context, t *pg.Tx, n NewFork, c *copies) error {
	if err := t.Q.ForkTodos(ctx, t, dbsqlc.ForkTodosParams{NewKey: n.Key, SessionKey: n.From}); err != nil {
		return err
	}
	began, err := t.Q.ForkReset(ctx, t, n.From)
	if err != nil {
		return err
	}
	if began != nil && c.controls[*began] == 0 {
		return planAgain(ctx, t, n.Key)
	}
	written, err := t.Q.TodosWritten(ctx, t, n.From)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if _, copied := c.messages[written.MessageID]; copied || err != nil {
		return err
	}
	return planAgain(ctx, t, n.Key)
}

// TodosElsewhere lists what is left to do in other conversations of whoever a session belongs to, the newest list first. A
// conversation of a group tells of the group's alone.
func (s *Store) TodosElsewhere(ctx context.Context, key chat.SessionKey, most int) ([]chat.TodoList, error) {
	rows, err := s.db.Q.TodosElsewhere(ctx, s.db.Pool, dbsqlc.TodosElsewhereParams{Session: key, N: int32(most)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read to-dos of other conversations: %w", err))
	}
	out := make([]chat.TodoList, len(rows))
	for i, r := range rows {
		if out[i], err = leftOf(dbsqlc.TodosOfRow(r)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// TodosOf lists what is left to do in the conversations of a user, the newest list first.
func (s *Store) TodosOf(ctx context.Context, user chat.UserID, most int) ([]chat.TodoList, error) {
	rows, err := s.db.Q.TodosOf(ctx, s.db.Pool, dbsqlc.TodosOfParams{UserID: user, N: int32(most)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read to-dos of user %d: %w", user, err))
	}
	out := make([]chat.TodoList, len(rows))
	for i, r := range rows {
		if out[i], err = leftOf(r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// leftOf is a list without what is done.
func leftOf(r dbsqlc.TodosOfRow) (chat.TodoList, error) {
	out := chat.TodoList{Session: r.Key, Title: r.Title, UpdatedAt: r.UpdatedAt}
	if err := json.Unmarshal(r.Items, &out.Todos); err != nil {
		return out, fmt.Errorf("decode to-dos of %s: %w", r.Key, err)
	}
	out.Todos = slices.DeleteFunc(out.Todos, func(t chat.Todo) bool { return t.Done })
	return out, nil
}
