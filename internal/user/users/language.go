package users

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/user/dbsqlc"
)

// Speaks returns the language in which somebody is addressed in a conversation (i18n.Spoken). text is what is answered; empty where it is in
// the conversation, or nothing is. A user of 0 is the owner of the conversation. Neither needs to be known: then the policy says it.
func (s *Store) Speaks(ctx context.Context, user chat.UserID, key chat.SessionKey, text string) (i18n.Lang, error) {
	lang, err := LanguageOf(ctx, s.db.Pool, user, key, text)
	return lang, pg.Classify(err)
}

// LanguageOf is Speaks in a transaction.
func LanguageOf(ctx context.Context, db pg.DBTX, user chat.UserID, key chat.SessionKey, text string) (i18n.Lang, error) {
	row, err := dbsqlc.Q.Speaks(ctx, db, dbsqlc.SpeaksParams{UserID: int64(user), SessionKey: key})
	if err != nil {
		return "", fmt.Errorf("read the language of %q for user %d: %w", key, user, err)
	}
	return i18n.LanguageHints{Chosen: row.Chosen, Text: text, Here: row.Here, Wrote: row.Wrote, Usual: row.Usual, Shared: row.Shared}.Lang(), nil
}
