// Package realtimestore stores sessions of voice mode, spoken exchanges and their answers.
package realtimestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/realtime"
	"xbot/internal/realtime/dbsqlc"
)

// Store stores the rows of voice mode. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// Session is a connection of a conversation to a realtime service.
type Session struct {
	ID    string
	Key   chat.SessionKey
	User  chat.UserID
	Model string
}

// Limits bound the sessions of a user.
type Limits struct {
	Sessions int           // open at once
	Daily    time.Duration // within 24 hours
}

// Open starts a session and ends an open session of the conversation. It returns the remaining time within 24 hours. RateLimited: the user has
// reached the limit of sessions or of time.
func (s *Store) Open(ctx context.Context, in Session, limits Limits) (left time.Duration, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.RealtimeUserLock(ctx, tx, int64(in.User)); err != nil {
			return fmt.Errorf("lock the voice sessions of user %d: %w", in.User, err)
		}
		used, err := dbsqlc.Q.RealtimeUse(ctx, tx, dbsqlc.RealtimeUseParams{SessionKey: in.Key, UserID: in.User, Stale: pg.Interval(realtime.StaleAfter)})
		if err != nil {
			return fmt.Errorf("count the voice sessions of user %d: %w", in.User, err)
		}
		left = limits.Daily - time.Duration(used.Seconds*float64(time.Second))
		switch {
		case int(used.Others) >= limits.Sessions:
			return fault.Errorf(fault.RateLimited, "%d of your conversations are in voice mode, which is the limit: end voice mode in another conversation first", used.Others)
		case left <= 0:
			return fault.Errorf(fault.RateLimited, "you have used the %d minutes of voice mode that are allowed within 24 hours; an administrator can change the limit (limits.person.voice)", int(limits.Daily.Minutes()))
		}
		if err := dbsqlc.Q.RealtimeSessionsEnd(ctx, tx, dbsqlc.RealtimeSessionsEndParams{Stale: pg.Interval(realtime.StaleAfter), SessionKey: in.Key}); err != nil {
			return fmt.Errorf("end the previous voice session: %w", err)
		}
		if err := dbsqlc.Q.RealtimeExchangesDeleteOld(ctx, tx, in.Key); err != nil {
			return fmt.Errorf("delete old exchanges: %w", err)
		}
		return dbsqlc.Q.RealtimeSessionInsert(ctx, tx, dbsqlc.RealtimeSessionInsertParams{ID: in.ID, SessionKey: in.Key, UserID: in.User, Model: chat.Clean(in.Model)})
	})
	return left, err
}

// Renew sets the time at which a session and the exchanges of its conversation were last alive. open is false if another session replaced it.
func (s *Store) Renew(ctx context.Context, in Session) (open bool, err error) {
	n, err := dbsqlc.Q.RealtimeSessionRenew(ctx, s.db.Pool, in.ID)
	if err != nil || n == 0 {
		return false, pg.Classify(err)
	}
	return true, pg.Classify(dbsqlc.Q.RealtimeExchangesRenew(ctx, s.db.Pool, in.Key))
}

// Close ends a session. Its exchanges stay open: the next session of the conversation continues them.
func (s *Store) Close(ctx context.Context, id string) error {
	return pg.Classify(dbsqlc.Q.RealtimeSessionEnd(ctx, s.db.Pool, id))
}

// Exchange is a spoken message.
type Exchange struct {
	ID         string // the client id of the message
	Transcript string
}

// Add stores an exchange, before its message is accepted.
func (s *Store) Add(ctx context.Context, key chat.SessionKey, x Exchange) error {
	return pg.Classify(dbsqlc.Q.RealtimeExchangeInsert(ctx, s.db.Pool, dbsqlc.RealtimeExchangeInsertParams{ID: x.ID, SessionKey: key, Transcript: chat.Clean(x.Transcript)}))
}

// OpenExchanges returns the open exchanges of earlier sessions of the conversation, the oldest first.
func (s *Store) OpenExchanges(ctx context.Context, key chat.SessionKey) (out []Exchange, err error) {
	rows, err := dbsqlc.Q.RealtimeExchangesOpen(ctx, s.db.Pool, dbsqlc.RealtimeExchangesOpenParams{SessionKey: key, Stale: pg.Interval(realtime.StaleAfter)})
	for _, r := range rows {
		out = append(out, Exchange{ID: r.ID, Transcript: r.Transcript})
	}
	return out, pg.Classify(err)
}

// Release ends an exchange: the conversation's model answers the remaining steps of its turn.
func (s *Store) Release(ctx context.Context, id string) error {
	return pg.Classify(dbsqlc.Q.RealtimeExchangeEnd(ctx, s.db.Pool, id))
}

// Record stores the answer of a step. Until heardIn has passed, Cut may shorten its text. An answer without calls ends the exchange. stored is
// false if the exchange was released before: the conversation's model answers.
func (s *Store) Record(ctx context.Context, exchange string, step int, a realtime.Answer, heardIn time.Duration) (stored bool, err error) {
	a.Text, a.Model = chat.Clean(a.Text), chat.Clean(a.Model)
	for i, c := range a.Calls {
		a.Calls[i] = realtime.Call{ID: chat.Clean(c.ID), Name: chat.Clean(c.Name), Arguments: chat.Clean(c.Arguments)}
	}
	body, err := json.Marshal(a)
	if err != nil {
		return false, fmt.Errorf("encode a spoken answer: %w", err)
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		stored = false
		locked, err := lock(ctx, tx, exchange)
		if err != nil || locked.Ended {
			return err
		}
		n, err := dbsqlc.Q.RealtimeResponseInsert(ctx, tx, dbsqlc.RealtimeResponseInsertParams{ExchangeID: exchange, Step: int32(step), Answer: body, HeardIn: pg.Interval(heardIn)})
		if err != nil {
			return fmt.Errorf("store a spoken answer: %w", err)
		}
		stored = n > 0
		if len(a.Calls) > 0 {
			return nil
		}
		return dbsqlc.Q.RealtimeExchangeEnd(ctx, tx, exchange)
	})
	return stored, err
}

// lock locks an exchange. A missing exchange counts as ended.
func lock(ctx context.Context, tx *pg.Tx, exchange string) (dbsqlc.RealtimeExchangeLockRow, error) {
	row, err := dbsqlc.Q.RealtimeExchangeLock(ctx, tx, dbsqlc.RealtimeExchangeLockParams{Stale: pg.Interval(realtime.StaleAfter), ID: exchange})
	if errors.Is(err, pgx.ErrNoRows) {
		return dbsqlc.RealtimeExchangeLockRow{Ended: true}, nil
	}
	if err != nil {
		return row, fmt.Errorf("lock exchange %s: %w", exchange, err)
	}
	return row, nil
}

// Cut replaces the text of an answer with the part that was heard, unless the conversation has the answer already.
func (s *Store) Cut(ctx context.Context, exchange string, step int, heard string) error {
	_, err := dbsqlc.Q.RealtimeResponseCut(ctx, s.db.Pool, dbsqlc.RealtimeResponseCutParams{Text: chat.Clean(heard), ExchangeID: exchange, Step: int32(step)})
	return pg.Classify(err)
}

// StepAnswer returns the answer of a step. It releases an exchange whose session no process has renewed for realtime.StaleAfter.
func (s *Store) StepAnswer(ctx context.Context, exchange string, step int) (realtime.StepAnswer, error) {
	found, ok, err := s.response(ctx, s.db.Pool, exchange, step)
	if err != nil || ok {
		return found, pg.Classify(err)
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		locked, err := lock(ctx, tx, exchange)
		if err != nil {
			return err
		}
		if found, ok, err = s.response(ctx, tx, exchange, step); err != nil || ok {
			return err
		}
		found = realtime.StepAnswer{Wait: pollInterval, Released: locked.Ended || locked.Stale}
		if locked.Ended || !locked.Stale {
			return nil
		}
		return dbsqlc.Q.RealtimeExchangeEnd(ctx, tx, exchange)
	})
	return found, err
}

const pollInterval = 200 * time.Millisecond

func (s *Store) response(ctx context.Context, db pg.DBTX, exchange string, step int) (out realtime.StepAnswer, ok bool, err error) {
	row, err := dbsqlc.Q.RealtimeResponseGet(ctx, db, dbsqlc.RealtimeResponseGetParams{ExchangeID: exchange, Step: int32(step)})
	if errors.Is(err, pgx.ErrNoRows) {
		return out, false, nil
	}
	if err != nil {
		return out, false, fmt.Errorf("read a spoken answer: %w", err)
	}
	if err := json.Unmarshal(row.Answer, &out.Answer); err != nil {
		return out, false, fmt.Errorf("decode a spoken answer: %w", err)
	}
	out.Wait = time.Duration(row.HeardIn * float64(time.Second))
	return out, true, nil
}

// Answers returns the answers of an exchange by step.
func (s *Store) Answers(ctx context.Context, exchange string) (out []realtime.Answer, err error) {
	rows, err := dbsqlc.Q.RealtimeResponses(ctx, s.db.Pool, exchange)
	if err != nil {
		return nil, pg.Classify(err)
	}
	for _, r := range rows {
		var a realtime.Answer
		if err := json.Unmarshal(r.Answer, &a); err != nil {
			return nil, fmt.Errorf("decode a spoken answer: %w", err)
		}
		out = append(out, a)
	}
	return out, nil
}

// Call is a tool call of a step of an exchange's turn.
type Call struct {
	ID         chat.CallID
	ProviderID string
	Name       string
	Done       bool
	Result     string
	IsError    bool
	Elapsed    time.Duration
	// TurnEnded reports that the turn has ended: an open call gets no result.
	TurnEnded bool
}

// Calls returns the recorded calls of a step.
func (s *Store) Calls(ctx context.Context, key chat.SessionKey, exchange string, step int) (out []Call, err error) {
	rows, err := dbsqlc.Q.RealtimeCalls(ctx, s.db.Pool, dbsqlc.RealtimeCallsParams{Step: int32(step), SessionKey: key, ExchangeID: exchange})
	for _, r := range rows {
		out = append(out, Call{
			ID: r.ID, ProviderID: r.ProviderID, Name: r.Name, Done: r.State == chat.CallDone, Result: r.Result, IsError: r.IsError,
			Elapsed: time.Duration(r.Elapsed * float64(time.Second)), TurnEnded: !r.TurnRuns,
		})
	}
	return out, pg.Classify(err)
}

// TurnEnded reports whether the turn of an exchange has ended.
func (s *Store) TurnEnded(ctx context.Context, key chat.SessionKey, exchange string) (bool, error) {
	rows, err := dbsqlc.Q.RealtimeTurn(ctx, s.db.Pool, dbsqlc.RealtimeTurnParams{SessionKey: key, ExchangeID: exchange})
	if err != nil {
		return false, pg.Classify(err)
	}
	return len(rows) > 0 && rows[0] != chat.TurnRunning, nil
}
