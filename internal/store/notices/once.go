package notices

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/store/dbsqlc"
	"xbot/internal/store/pg"
)

// Once reports whether a sentence is to be said, to one caller, and notes that it was.
func (s *Store) Once(ctx context.Context, say chat.Saying) (bool, error) {
	return once(ctx, s.db.Q, s.db.Pool, say)
}

func once(ctx context.Context, q *dbsqlc.Queries, db dbsqlc.DBTX, say chat.Saying) (bool, error) {
	n, err := q.ToldOnce(ctx, db, dbsqlc.ToldOnceParams{
		Topic: say.Topic, Channel: say.Channel, Account: say.Account, About: pg.Clean(say.About), What: pg.Clean(say.What), Asked: pg.Clean(say.Asked),
	})
	if err == nil && n > 0 {
		err = q.ToldOncePrune(ctx, db)
	}
	if err != nil {
		return false, pg.Classify(fmt.Errorf("note what was said once: %w", err))
	}
	return n > 0, nil
}
