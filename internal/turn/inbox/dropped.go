package inbox

import (
	"context"
	"fmt"
	"xbot/internal/turn/dbsqlc"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/user/users"
)

// OutcomeRecalled is the outcome of a row that its sender recalled.
const OutcomeRecalled = "recalled"

// EmitDropped notifies the sender of a row that it gets no turn, with the reason, and returns the text.
func EmitDropped(ctx context.Context, t *pg.Tx, key chat.SessionKey, id chat.InboxID, text, outcome string, say i18n.ID, args ...any) (string, error) {
	lang, err := users.LanguageOf(ctx, t, 0, key, text)
	if err != nil {
		return "", err
	}
	told := i18n.Say(lang, say, args...)
	t.Emit(key, chat.EventDropped, chat.Dropped{Inbox: id, Outcome: outcome, Text: told})
	return told, nil
}

// DropDisabled drops the messages of disabled users from the queues of others, such as those of groups, where later messages would
// wait forever. It wakes those conversations. Conversations of the disabled users are stopped (DisabledWork).
func (s *Store) DropDisabled(ctx context.Context) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		rows, err := dbsqlc.Q.InboxDropDisabled(ctx, tx)
		if err != nil {
			return fmt.Errorf("drop messages of people who were shut out: %w", err)
		}
		for _, r := range rows {
			if _, err := EmitDropped(ctx, tx, r.SessionKey, r.ID, r.Body, OutcomeRecalled, i18n.ShutOut); err != nil {
				return err
			}
			tx.WakeTurn(r.SessionKey, r.Channel, "next")
		}
		return nil
	})
}
