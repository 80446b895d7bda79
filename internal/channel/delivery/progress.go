package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/channel/dbsqlc"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/edits"
)

// ToFollow returns sessions with a turn that has run for longer than older and answers a user on a platform, or with the
// card of an ended turn, if their Deliver workflow may not know it; each at most once a minute.
func (s *Store) ToFollow(ctx context.Context, older time.Duration) ([]Undelivered, error) {
	if err := dbsqlc.Q.ProgressBegin(ctx, s.db.Pool, pg.Interval(older)); err != nil {
		return nil, pg.Classify(fmt.Errorf("look for turns to follow: %w", err))
	}
	rows, err := dbsqlc.Q.ProgressToWake(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look for turns that nobody follows: %w", err))
	}
	var out []Undelivered
	for _, r := range rows {
		out = append(out, Undelivered{r.SessionKey, r.Channel})
	}
	return out, nil
}

// NextFollow returns the turn that is followed next in a session, or whose card is settled; ok is false when there is none.
func (s *Store) NextFollow(ctx context.Context, key chat.SessionKey) (turn chat.TurnID, channel string, ok bool, err error) {
	row, err := dbsqlc.Q.ProgressNext(ctx, s.db.Pool, key)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", "", false, nil
	}
	return row.TurnID, row.Channel, err == nil, pg.Classify(err)
}

// TurnProgress reads the state of a turn that is followed. It returns NotFound if its session was deleted.
func (s *Store) TurnProgress(ctx context.Context, turn chat.TurnID) (chat.TurnProgress, error) {
	row, err := dbsqlc.Q.ProgressGet(ctx, s.db.Pool, turn)
	if err != nil {
		return chat.TurnProgress{}, pg.Classify(fmt.Errorf("read how turn %s stands: %w", turn, err))
	}
	card, err := cardOf(row.ProgressCard)
	if err != nil {
		return chat.TurnProgress{}, err
	}
	c := chat.TurnProgress{Card: card, Turn: chat.Turn{ID: turn, Session: card.Session, State: chat.TurnState(row.TurnState), EndedAt: row.TurnEndedAt}, Waits: row.Waits, Answered: row.Answered}
	if c.Turn.State == chat.TurnStopped {
		if c.Withdrawn, err = edits.EndedTurn(ctx, s.db.Pool, turn); err != nil {
			return chat.TurnProgress{}, err
		}
	}
	c.Turn.Waits = conversation.WaitOf(row.WaitsSince, row.WaitsUntil, nil, row.WaitsReason)
	if row.StartedAt != nil {
		c.Turn.StartedAt = *row.StartedAt
	}
	if err := json.Unmarshal(row.Retry, &c.Retry); err != nil {
		return chat.TurnProgress{}, fmt.Errorf("read the retry of turn %s: %w", turn, err)
	}
	calls, err := dbsqlc.Q.ProgressCalls(ctx, s.db.Pool, turn)
	if err != nil {
		return chat.TurnProgress{}, pg.Classify(fmt.Errorf("read the calls of turn %s: %w", turn, err))
	}
	for _, r := range calls {
		call := chat.ToolCall{
			ID: r.ID, Name: r.Name, Summary: r.Summary, State: r.State, IsError: r.IsError, Task: r.Task, StartedAt: r.StartedAt, FinishedAt: r.FinishedAt,
		}
		if r.Approval != "" && r.AskedAt != nil {
			call.Approval = &chat.Approval{State: r.Approval, AskedAt: *r.AskedAt}
		}
		c.Calls = append(c.Calls, call)
	}
	c.Todos, err = s.conversations.Todos(ctx, card.Session)
	return c, err
}

// TurnLang returns the language of the user that a turn answers.
func (s *Store) TurnLang(ctx context.Context, turn chat.TurnID) (i18n.Lang, error) {
	lang, err := conversation.LangOf(ctx, s.db.Pool, turn)
	return lang, pg.Classify(err)
}

// KeepFollowing records that an activity follows a turn, so that the relay starts no other one for a minute.
func (s *Store) KeepFollowing(ctx context.Context, turn chat.TurnID) error {
	return pg.Classify(dbsqlc.Q.ProgressKeep(ctx, s.db.Pool, turn))
}

// RestCard records that the card of a turn shows since when it waits for its provider: the turn is not followed until it
// continues.
func (s *Store) RestCard(ctx context.Context, turn chat.TurnID, since time.Time) error {
	return pg.Classify(dbsqlc.Q.ProgressRest(ctx, s.db.Pool, dbsqlc.ProgressRestParams{TurnID: turn, Since: &since}))
}

// NoteLine records that the n-th short progress message of a turn is about to be sent. It returns false if it already was, or must not be.
func (s *Store) NoteLine(ctx context.Context, turn chat.TurnID, n int) (bool, error) {
	rows, err := dbsqlc.Q.ProgressLine(ctx, s.db.Pool, dbsqlc.ProgressLineParams{TurnID: turn, Line: int32(n)})
	return rows > 0, pg.Classify(err)
}

// TryCard records that a card is about to be sent. It returns false if there is one already, or there must be none.
func (s *Store) TryCard(ctx context.Context, turn chat.TurnID) (bool, error) {
	n, err := dbsqlc.Q.ProgressTry(ctx, s.db.Pool, turn)
	return n > 0, pg.Classify(err)
}

// UntryCard records that the platform certainly did not accept the card.
func (s *Store) UntryCard(ctx context.Context, turn chat.TurnID) error {
	return pg.Classify(dbsqlc.Q.ProgressUntry(ctx, s.db.Pool, turn))
}

// ShowCard records the platform's id of the card.
func (s *Store) ShowCard(ctx context.Context, turn chat.TurnID, message string) error {
	return pg.Classify(dbsqlc.Q.ProgressShown(ctx, s.db.Pool, dbsqlc.ProgressShownParams{TurnID: turn, MessageID: message}))
}

// EndCard records the end of a card, once.
func (s *Store) EndCard(ctx context.Context, turn chat.TurnID, state chat.CardState) error {
	return pg.Classify(dbsqlc.Q.ProgressEnd(ctx, s.db.Pool, dbsqlc.ProgressEndParams{TurnID: turn, State: string(state)}))
}

// PutOffCard postpones the next attempt to settle the card of a turn that has ended.
func (s *Store) PutOffCard(ctx context.Context, turn chat.TurnID, pause time.Duration) error {
	return pg.Classify(dbsqlc.Q.ProgressPutOff(ctx, s.db.Pool, dbsqlc.ProgressPutOffParams{TurnID: turn, Pause: pg.Interval(pause)}))
}

// CardOfAnswer returns the card that a delivery replaces; ok is false when there is none.
func (s *Store) CardOfAnswer(ctx context.Context, delivery int64) (card chat.Card, ok bool, err error) {
	row, err := dbsqlc.Q.ProgressOfAnswer(ctx, s.db.Pool, delivery)
	if errors.Is(err, pgx.ErrNoRows) {
		return chat.Card{}, false, nil
	}
	if err != nil {
		return chat.Card{}, false, pg.Classify(fmt.Errorf("look for the card of delivery %d: %w", delivery, err))
	}
	card, err = cardOf(row)
	return card, err == nil, err
}

// AnswerCard records that a card has become the first piece of an answer, in one transaction with the state of the pieces,
// so that the card is never settled as well. It is a Conflict where SavePieces is one.
func (s *Store) AnswerCard(ctx context.Context, turn chat.TurnID, o *chat.Outbound) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := s.savePieces(ctx, tx, o, true); err != nil {
			return err
		}
		return dbsqlc.Q.ProgressEnd(ctx, tx, dbsqlc.ProgressEndParams{TurnID: turn, State: string(chat.CardAnswer)})
	})
}

func cardOf(r dbsqlc.ProgressCard) (chat.Card, error) {
	c := chat.Card{
		Turn: r.TurnID, Session: r.SessionKey, Channel: r.Channel, Account: r.Account, Nonce: fmt.Sprintf("%x", r.Nonce.Bytes),
		Message: r.MessageID, State: chat.CardState(r.State), Made: r.CreatedAt, Lines: int(r.Lines),
	}
	if r.TriedAt != nil {
		c.Tried = *r.TriedAt
	}
	if err := json.Unmarshal(r.Place, &c.Place); err != nil {
		return chat.Card{}, fmt.Errorf("read the place of the card of turn %s: %w", r.TurnID, err)
	}
	return c, nil
}
