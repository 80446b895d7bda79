package calls

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// sendQuestion queues a question that was just opened for the platform where its turn was asked, if it was asked on one.
func sendQuestion(ctx context.Context, t *pg.Tx, id chat.CallID) error {
	keys, err := dbsqlc.Q.QuestionAdd(ctx, t, string(id))
	if err != nil {
		return fmt.Errorf("send the question of call %s: %w", id, err)
	}
	for _, key := range keys {
		t.WakeDeliver(key)
	}
	return nil
}

// settleQuestion ends the question of a call on its platform: a question that was not sent is withdrawn, and a sent one
// shows how it ended.
func settleQuestion(ctx context.Context, t *pg.Tx, id chat.CallID) error {
	withdrawn, err := dbsqlc.Q.QuestionWithdraw(ctx, t, string(id))
	if err != nil {
		return fmt.Errorf("withdraw the question of call %s: %w", id, err)
	}
	if withdrawn > 0 {
		return nil
	}
	keys, err := dbsqlc.Q.QuestionSettle(ctx, t, string(id))
	if err != nil {
		return fmt.Errorf("settle the question of call %s: %w", id, err)
	}
	for _, key := range keys {
		t.WakeDeliver(key)
	}
	return nil
}

// ShownAt reports whether the question of a call was shown in a chat of a platform.
func (s *Store) ShownAt(ctx context.Context, id chat.CallID, channel, account string, at chat.Address) (bool, error) {
	shown, err := dbsqlc.Q.QuestionShownAt(ctx, s.db.Pool, dbsqlc.QuestionShownAtParams{CallID: string(id), Channel: channel, Account: account, Chat: chatOf(at)})
	if err != nil {
		return false, pg.Classify(fmt.Errorf("look where the question of call %s was shown: %w", id, err))
	}
	return shown, nil
}

// ShowAt records that a question is shown in a chat.
func ShowAt(ctx context.Context, t *pg.Tx, id chat.CallID, channel, account string, at chat.Address) error {
	err := dbsqlc.Q.QuestionShow(ctx, t, dbsqlc.QuestionShowParams{CallID: string(id), Channel: channel, Account: account, Chat: chatOf(at)})
	if err != nil {
		return fmt.Errorf("note where the question of call %s is shown: %w", id, err)
	}
	return nil
}

// chatOf returns the name of a chat among those of its bot.
func chatOf(at chat.Address) string { return cmp.Or(at.Chat, at.Peer) }

// Question is the question of a call on a platform.
type Question struct {
	Session chat.SessionKey
	Place   chat.Address
}

// Question returns what a call has asked by a bot account; NotFound if it asked nothing there.
func (s *Store) Question(ctx context.Context, channel, account string, id chat.CallID) (Question, error) {
	row, err := dbsqlc.Q.QuestionOfCall(ctx, s.db.Pool, chat.Clean(string(id)))
	if errors.Is(err, pgx.ErrNoRows) || err == nil && (row.Channel != channel || row.Account != account) {
		return Question{}, fault.Errorf(fault.NotFound, "no call asks this here")
	}
	if err != nil {
		return Question{}, pg.Classify(fmt.Errorf("find the question of a call: %w", err))
	}
	q := Question{Session: row.SessionKey}
	q.Place, err = AddressOf(row.ID, row.Place)
	return q, err
}
