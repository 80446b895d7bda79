package notices

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/user/dbsqlc"
)

// Once reports whether a sentence is to be sent, to one caller, and records that it was. It bounds no number: say.Most is for what is sent in
// a transaction.
func (s *Store) Once(ctx context.Context, say chat.NoticeKey) (bool, error) {
	return once(ctx, s.db.Pool, say)
}

// amongMost is once for a topic of which only so many are sent in a day, also with concurrent callers.
func amongMost(ctx context.Context, tx *pg.Tx, say chat.NoticeKey) (bool, error) {
	if say.Most == 0 {
		return once(ctx, tx, say)
	}
	if err := dbsqlc.Q.ToldLock(ctx, tx, dbsqlc.ToldLockParams{Topic: say.Topic, Channel: say.Channel, Account: say.Account}); err != nil {
		return false, fmt.Errorf("lock what was said of %s: %w", say.Topic, err)
	}
	others, err := dbsqlc.Q.ToldOthers(ctx, tx, dbsqlc.ToldOthersParams{Topic: say.Topic, Channel: say.Channel, Account: say.Account, About: chat.Clean(say.About)})
	if err != nil {
		return false, fmt.Errorf("count what was said of %s: %w", say.Topic, err)
	}
	if int(others) >= say.Most {
		return false, nil
	}
	return once(ctx, tx, say)
}

func once(ctx context.Context, db pg.DBTX, say chat.NoticeKey) (bool, error) {
	n, err := dbsqlc.Q.ToldOnce(ctx, db, dbsqlc.ToldOnceParams{
		Topic: say.Topic, Channel: say.Channel, Account: say.Account, About: chat.Clean(say.About), What: chat.Clean(say.What), Asked: chat.Clean(say.Asked), NeverRepeated: say.Once,
	})
	if err == nil && n > 0 {
		err = dbsqlc.Q.ToldOncePrune(ctx, db)
	}
	if err != nil {
		return false, pg.Classify(fmt.Errorf("note what was said once: %w", err))
	}
	return n > 0, nil
}
