package store

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/pg"
)

// EditQueued changes the text of a message that waits, named by the id that its platform gave it. It reports false, and
// changes nothing, once a turn has claimed the message or it ended otherwise. NotFound when there is no such message.
func (s *Store) EditQueued(ctx context.Context, channel, account string, user chat.UserID, platformID, text string) (changed bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := findDelivered(ctx, tx, channel, account, user, platformID)
		if err != nil {
			return err
		}
		changed, err = editQueued(ctx, tx, row.ID, text)
		return err
	})
	return changed, err
}

// RecallQueued takes a message back that waits, named by the id that its platform gave it. It reports false, and changes
// nothing, once a turn has claimed the message or it ended otherwise. NotFound when there is no such message.
func (s *Store) RecallQueued(ctx context.Context, channel, account string, user chat.UserID, platformID string) (changed bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := findDelivered(ctx, tx, channel, account, user, platformID)
		if err != nil {
			return err
		}
		changed, err = recallQueued(ctx, tx, row.ID)
		return err
	})
	return changed, err
}
