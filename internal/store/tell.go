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

func (t *tx) tell(ctx context.Context, told chat.Told) (fresh bool, err error) {
	options, err := json.Marshal(told.Options)
	if err != nil {
		return false, fmt.Errorf("encode options: %w", err)
	}
	fresh, err = t.q.InboxTell(ctx, t, dbsqlc.InboxTellParams{
		Session: told.Session, Origin: told.Origin, Key: told.Key, Body: Clean(told.Text), Place: placeOf(told.To), Options: options,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, fault.Errorf(fault.NotFound, "there is no session %q", told.Session)
	}
	if err != nil {
		return false, fmt.Errorf("tell session %s: %w", told.Session, err)
	}
	return fresh, nil
}
