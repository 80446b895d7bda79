package notices

import (
	"context"
	"errors"
	"fmt"
	"xbot/internal/user/dbsqlc"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/user/users"
)

// NotifySender sends the author of a message a notice once, then at most daily (Once), as an answer to that message and in the transaction that
// records it. It reports whether it is sent now: false where it was before, or the conversation is gone.
func (s *Store) NotifySender(ctx context.Context, asked chat.InboxID, of chat.NoticeKey, say func(i18n.Lang) string) (told bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.NoticeAsker(ctx, tx, asked)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look who wrote message %d: %w", asked, err)
		}
		if told, err = amongMost(ctx, tx, of); err != nil || !told {
			return err
		}
		lang, err := users.LanguageOf(ctx, tx, row.UserID, row.SessionKey, row.Body)
		if err != nil {
			return err
		}
		m := chat.Message{Session: row.SessionKey, Role: chat.RoleNotice, Content: chat.Clean(say(lang)), Inbox: asked}
		return conversation.AppendMessage(ctx, tx, &m, "")
	})
	return told && err == nil, err
}
