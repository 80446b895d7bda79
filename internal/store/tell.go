package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/store/dbsqlc"
)

// Tell commits what the product says to a conversation. fresh is false where the same key was told before: nothing new
// happened. No queue is too full for it. NotFound: there is no such session.
func (s *Store) Tell(ctx context.Context, told chat.Told) (fresh bool, err error) {
	err = s.inTx(ctx, func(tx *tx) error {
		fresh, err = tx.tell(ctx, told)
		return err
	})
	return fresh, err
}

// tell commits one; other rows of the same transaction may hang on it.
func (t *tx) tell(ctx context.Context, told chat.Told) (fresh bool, err error) {
	id, err := t.tellRow(ctx, told, "")
	return id != 0, err
}

// tellRow returns the row that tells it, 0 where the same key was told before. reset says why the conversation begins anew with
// it; empty: it goes on.
func (t *tx) tellRow(ctx context.Context, told chat.Told, reset string) (chat.InboxID, error) {
	options, err := json.Marshal(told.Options)
	if err != nil {
		return 0, fmt.Errorf("encode options: %w", err)
	}
	id, err := t.q.InboxTell(ctx, t, dbsqlc.InboxTellParams{
		Session: told.Session, Origin: told.Origin, Key: told.Key, Body: Clean(told.Text), Place: placeOf(told.To), Options: options, Reset: reset,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fault.Errorf(fault.NotFound, "there is no session %q", told.Session)
	}
	if err != nil {
		return 0, fmt.Errorf("tell session %s: %w", told.Session, err)
	}
	return chat.InboxID(id), nil
}
