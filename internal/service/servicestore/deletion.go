package servicestore

import (
	"context"
	"fmt"
	"strconv"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/service/dbsqlc"
)

// DeletionBelow starts the deletion of users below a user: the services of an administrator, the consumers of a service; some at a time. It
// returns how many are left.
func (s *Store) DeletionBelow(ctx context.Context, id chat.UserID, most int) (left int, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		ids, err := dbsqlc.Q.DeletionBelow(ctx, tx, dbsqlc.DeletionBelowParams{ID: int64(id), Most: int32(most)})
		if err != nil {
			return fmt.Errorf("have those deleted who belong to user %d: %w", id, err)
		}
		for _, one := range ids {
			tx.Wake(chat.Wake{Kind: chat.WakeDeletion, ID: strconv.FormatInt(int64(one), 10)})
		}
		n, err := dbsqlc.Q.DeletionBelowLeft(ctx, tx, int64(id))
		left = int(n)
		if err == nil && len(ids) > 0 {
			err = tx.NotifyAccess(ctx)
		}
		return err
	})
	return left, err
}
