package search

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// TodosElsewhere lists the open entries in other conversations of a session's owner, the newest list first. A conversation of a group lists
// only the group's.
func (s *Store) TodosElsewhere(ctx context.Context, key chat.SessionKey, most int) ([]chat.TodoList, error) {
	rows, err := dbsqlc.Q.TodosElsewhere(ctx, s.db.Pool, dbsqlc.TodosElsewhereParams{Session: key, N: int32(most)})
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

// TodosOf lists the open entries in the conversations of a user, the newest list first.
func (s *Store) TodosOf(ctx context.Context, user chat.UserID, most int) ([]chat.TodoList, error) {
	rows, err := dbsqlc.Q.TodosOf(ctx, s.db.Pool, dbsqlc.TodosOfParams{UserID: user, N: int32(most)})
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

// leftOf returns a list without the done entries.
func leftOf(r dbsqlc.TodosOfRow) (chat.TodoList, error) {
	out := chat.TodoList{Session: r.Key, Title: r.Title, UpdatedAt: r.UpdatedAt}
	if err := json.Unmarshal(r.Items, &out.Todos); err != nil {
		return out, fmt.Errorf("decode to-dos of %s: %w", r.Key, err)
	}
	out.Todos = slices.DeleteFunc(out.Todos, func(t chat.Todo) bool { return t.Done })
	return out, nil
}
