package delivery

import (
	"context"
	"errors"
	"fmt"
	"xbot/internal/channel/dbsqlc"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/pg"
)

// NewestMessage returns the platform's id of the newest message of a user in the chat of a delivery; empty: there is none.
func (s *Store) NewestMessage(ctx context.Context, o chat.Outbound) (string, error) {
	id, err := dbsqlc.Q.MessageNewestIn(ctx, s.db.Pool, o.ID)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", pg.Classify(fmt.Errorf("read what can be answered in place of delivery %d: %w", o.ID, err))
	}
	return id, nil
}
