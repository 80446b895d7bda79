package people

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/store/dbsqlc"
	"xbot/internal/store/pg"
)

// Speaks returns the language for an answer to a command of a person in a conversation: the one they chose, else the one
// they write (i18n.For).
func (s *Store) Speaks(ctx context.Context, user chat.UserID, key chat.SessionKey, text string) (i18n.Lang, error) {
	return LanguageOf(ctx, s.db.Q, s.db.Pool, user, key, text)
}

// LanguageOf is the language that a person chose, else that of the text, else that in which they wrote last.
func LanguageOf(ctx context.Context, q *dbsqlc.Queries, db dbsqlc.DBTX, user chat.UserID, key chat.SessionKey, text string) (i18n.Lang, error) {
	row, err := q.Speaks(ctx, db, dbsqlc.SpeaksParams{UserID: user, SessionKey: key})
	if err != nil {
		return "", pg.Classify(fmt.Errorf("read the language of user %d: %w", user, err))
	}
	return i18n.For(row.Chosen, text, row.Wrote), nil
}
