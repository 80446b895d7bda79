package conversation

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// SetListState sets the list state of a conversation.
func (s *Store) SetListState(ctx context.Context, key chat.SessionKey, shelf chat.ListState) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		rows, err := dbsqlc.Q.SessionSetListState(ctx, tx, dbsqlc.SessionSetListStateParams{Key: key, Shelf: shelf})
		if err != nil {
			return fmt.Errorf("set the shelf: %w", err)
		}
		if rows == 0 {
			return fault.Errorf(fault.NotFound, "there is no session %q", key)
		}
		row, err := dbsqlc.Q.SessionGet(ctx, tx, key)
		if err != nil {
			return fmt.Errorf("read session: %w", err)
		}
		tx.Emit(key, chat.EventSession, s.SessionOf(row))
		return nil
	})
}
