package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// Post commits a message of the product to a conversation. fresh is false if the same key was committed before: nothing
// changes. The queue limit does not apply. It returns NotFound if there is no such session.
func (s *Store) Post(ctx context.Context, told chat.InternalMessage) (fresh bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		fresh, err = Post(ctx, tx, told)
		return err
	})
	return fresh, err
}

// Post does the same in a transaction, whose other rows may depend on it.
func Post(ctx context.Context, t *pg.Tx, told chat.InternalMessage) (fresh bool, err error) {
	id, err := PostRow(ctx, t, told, "")
	return id != 0, err
}

// PostRow returns the row of the message, 0 if the same key was committed before. reset is why the conversation starts over with
// it; empty: it continues.
func PostRow(ctx context.Context, t *pg.Tx, told chat.InternalMessage, reset string) (chat.InboxID, error) {
	options, err := json.Marshal(told.Options)
	if err != nil {
		return 0, fmt.Errorf("encode options: %w", err)
	}
	id, err := dbsqlc.Q.InboxTell(ctx, t, dbsqlc.InboxTellParams{
		Session: told.Session, Origin: told.Origin, Key: told.Key, Body: chat.Clean(told.Text), Place: EncodeAddress(told.To), Options: options, Reset: reset,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fault.Errorf(fault.NotFound, "there is no session %q", told.Session)
	}
	if err != nil {
		return 0, fmt.Errorf("tell session %s: %w", told.Session, err)
	}
	return chat.InboxID(id), nil
}
