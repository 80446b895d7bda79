package engine

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// Rows that one statement of Prune takes at most, so that none holds its locks for long.
const (
	pruneRows = 5000
	// Deleting a prompt looks up the rows that refer to it, and so do its foreign keys. With 20,000 prompts, 100,000 turns and 300,000
	// steps these 50 take 15 ms and 970 buffers; without the indexes of migration 0062 they took 12.4 s, 12.1 of them in the foreign keys.
	prunePrompts = 50
)

// Prune deletes old rows that are not needed any more: events to users, the requests sent to models, drafts of cards, and the record of
// consumers' requests. Conversations stay. It returns the number of deleted rows.
func (s *Store) Prune(ctx context.Context, older time.Duration) (rows int64, err error) {
	for _, prune := range []struct {
		most int32
		do   func(most int32) (int64, error)
	}{
		{pruneRows, func(most int32) (int64, error) {
			return dbsqlc.Q.RetentionEvents(ctx, s.db.Pool, dbsqlc.RetentionEventsParams{Older: pg.Interval(older), Most: most})
		}},
		{pruneRows, func(most int32) (int64, error) {
			return dbsqlc.Q.RetentionTurns(ctx, s.db.Pool, dbsqlc.RetentionTurnsParams{Older: pg.Interval(older), Most: most})
		}},
		{prunePrompts, func(most int32) (int64, error) {
			return dbsqlc.Q.RetentionPrompts(ctx, s.db.Pool, dbsqlc.RetentionPromptsParams{Older: pg.Interval(older), Most: most})
		}},
		{pruneRows, func(most int32) (int64, error) { return dbsqlc.Q.RetentionCards(ctx, s.db.Pool, most) }},
		{pruneRows, func(most int32) (int64, error) {
			return dbsqlc.Q.RetentionServiceRequests(ctx, s.db.Pool, dbsqlc.RetentionServiceRequestsParams{Older: pg.Interval(older), Most: most})
		}},
	} {
		for n := int64(prune.most); n == int64(prune.most) && ctx.Err() == nil; rows += n {
			if n, err = prune.do(prune.most); err != nil {
				return rows, pg.Classify(fmt.Errorf("prune old rows: %w", err))
			}
		}
	}
	return rows, nil
}
