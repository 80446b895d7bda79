package users

import (
	"context"
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/user/dbsqlc"
)

// Speaks returns the language for a user in a conversation (i18n.LanguageHints). text is the text to answer; empty if it is in
// the conversation, or there is none. A user of 0 is the owner of the conversation. Both may be unknown: then the policy decides.
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
