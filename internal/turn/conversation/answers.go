package conversation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// Answers returns the state of answers to clients that follow no events. It is safe for concurrent use.
type Answers struct{ db *pg.DB }

// NewAnswers returns a store over the database.
func NewAnswers(db *pg.DB) *Answers { return &Answers{db: db} }

// Fate is the state of a user's accepted message.
type Fate struct {
	Turn    chat.TurnID // that has it, or its replacement; empty: none yet, or none ever
	Outcome string      // of its row; empty while it waits
	Command bool        // it is no message for a turn: a command that is carried out at once, or an answer to a question
}

// Fate returns the state of a row of a session. It returns NotFound if the session has none of that id.
func (s *Answers) Fate(ctx context.Context, key chat.SessionKey, id chat.InboxID) (Fate, error) {
	r, err := dbsqlc.Q.AnswerRow(ctx, s.db.Pool, dbsqlc.AnswerRowParams{ID: id, SessionKey: key})
	if errors.Is(err, pgx.ErrNoRows) {
		return Fate{}, fault.Errorf(fault.NotFound, "there is no message %d in this conversation", id)
	}
	if err != nil {
		return Fate{}, pg.Classify(fmt.Errorf("look what became of message %d: %w", id, err))
	}
	return Fate{Turn: chat.TurnID(r.Turn), Outcome: r.Outcome, Command: r.Kind == "command"}, nil
}

// TurnAnswer is the answer of a turn so far.
type TurnAnswer struct {
	Turn   chat.Turn
	Text   string // of its last step that called no tool; empty: there is none yet
	Silent bool   // the model chose not to answer
	Notice string // why it ended without an answer, in the language of the asking user; empty: it has one, or runs
}

// TurnAnswer returns the answer of a turn of a session so far. It returns NotFound if the session has no such turn.
func (s *Answers) TurnAnswer(ctx context.Context, key chat.SessionKey, turn chat.TurnID) (TurnAnswer, error) {
	r, err := dbsqlc.Q.AnswerOfTurn(ctx, s.db.Pool, dbsqlc.AnswerOfTurnParams{ID: turn, SessionKey: key})
	if errors.Is(err, pgx.ErrNoRows) {
		return TurnAnswer{}, fault.Errorf(fault.NotFound, "there is no turn %q in this conversation", turn)
	}
	if err != nil {
		return TurnAnswer{}, pg.Classify(fmt.Errorf("read the answer of turn %s: %w", turn, err))
	}
	return TurnAnswer{Turn: TurnOf(r.Turn), Text: r.Answer, Silent: r.Silent, Notice: r.Notice}, nil
}

// FirstEvent returns the sequence number from which on the events of a row are read. It returns NotFound if no event of it is stored.
func (s *Answers) FirstEvent(ctx context.Context, key chat.SessionKey, id chat.InboxID) (int64, error) {
	seq, err := dbsqlc.Q.AnswerFirstEvent(ctx, s.db.Pool, dbsqlc.AnswerFirstEventParams{SessionKey: key, InboxID: int64(id)})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fault.Errorf(fault.NotFound, "no event of message %d is kept", id)
	}
	if err != nil {
		return 0, pg.Classify(fmt.Errorf("look for the events of message %d: %w", id, err))
	}
	return seq, nil
}

// TurnBegan returns the sequence number of the first event of the turn that had begun last at an event of a session. It returns 0 if none had, or
// its events are deleted.
func (s *Answers) TurnBegan(ctx context.Context, key chat.SessionKey, seq int64) (int64, error) {
	began, err := dbsqlc.Q.AnswerTurnBegan(ctx, s.db.Pool, dbsqlc.AnswerTurnBeganParams{SessionKey: key, Seq: seq})
	if err != nil {
		return 0, pg.Classify(fmt.Errorf("look for the turn that ran at event %d of %s: %w", seq, key, err))
	}
	return began, nil
}

// Place is the position of a user's message in the transcript.
type Place struct {
	Message chat.MessageID
	Turn    chat.TurnID
	Origin  string
	Step    int // last one of the turn before it, from 0; -1: none
}

// Place returns the position of a row of a session in the transcript. It returns NotFound if no turn has it.
func (s *Answers) Place(ctx context.Context, key chat.SessionKey, id chat.InboxID) (Place, error) {
	r, err := dbsqlc.Q.AnswerPlace(ctx, s.db.Pool, dbsqlc.AnswerPlaceParams{SessionKey: key, InboxID: int64(id)})
	if errors.Is(err, pgx.ErrNoRows) {
		return Place{}, fault.Errorf(fault.NotFound, "message %d is not in the transcript", id)
	}
	if err != nil {
		return Place{}, pg.Classify(fmt.Errorf("look where message %d stands: %w", id, err))
	}
	return Place{Message: r.ID, Turn: chat.TurnID(r.Turn), Origin: r.Origin, Step: int(r.Step)}, nil
}

// Message is a message that a user sent.
type Message struct {
	Session chat.SessionKey
	At      time.Time
	Text    string
	Client  chat.ClientAsk // options of the client's request
}

// UserMessage returns the message that a user sent on a channel. It returns NotFound if they sent none of that id there.
func (s *Answers) UserMessage(ctx context.Context, user chat.UserID, channel string, id chat.InboxID) (Message, error) {
	r, err := dbsqlc.Q.AnswerAsked(ctx, s.db.Pool, dbsqlc.AnswerAskedParams{ID: int64(id), UserID: user, Channel: channel})
	if errors.Is(err, pgx.ErrNoRows) {
		return Message{}, fault.Errorf(fault.NotFound, "there is no message %d of yours", id)
	}
	if err != nil {
		return Message{}, pg.Classify(fmt.Errorf("look for message %d: %w", id, err))
	}
	out := Message{Session: r.SessionKey, At: r.AcceptedAt, Text: r.Body}
	if client := ParseOptions(r.Options).Client; client != nil {
		out.Client = *client
	}
	return out, nil
}

// HideUserMessage hides a message of a user from UserMessage. It stays in its conversation.
func (s *Answers) HideUserMessage(ctx context.Context, user chat.UserID, channel string, id chat.InboxID) error {
	return pg.Classify(dbsqlc.Q.AnswerForget(ctx, s.db.Pool, dbsqlc.AnswerForgetParams{ID: int64(id), UserID: user, Channel: channel}))
}

// ClientCalls returns the conversation and the calls of a client's tools in the step of a call, if it is in a conversation of the user.
// It returns none if there is no such step.
func (s *Answers) ClientCalls(ctx context.Context, user chat.UserID, of chat.CallID) (key chat.SessionKey, calls []chat.ToolCall, err error) {
	turn, step, _, ok := of.Split()
	if !ok || step > math.MaxInt32 {
		return "", nil, nil
	}
	rows, err := dbsqlc.Q.AnswerClientCalls(ctx, s.db.Pool, dbsqlc.AnswerClientCallsParams{TurnID: turn, Step: int32(step), UserID: user})
	if err != nil {
		return "", nil, pg.Classify(fmt.Errorf("read the calls of the client's tools: %w", err))
	}
	for _, r := range rows {
		key = r.SessionKey
		calls = append(calls, CallOf(r))
	}
	return key, calls, nil
}

// AnswerClientCalls records the results of a client's tools, all or none. It returns Conflict if a call has another result already.
func (s *Answers) AnswerClientCalls(ctx context.Context, results []chat.ClientResult) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		for _, r := range results {
			content := chat.Clean(r.Content)
			row, err := dbsqlc.Q.AnswerClientResult(ctx, tx, dbsqlc.AnswerClientResultParams{ID: r.Call, Result: content})
			if errors.Is(err, pgx.ErrNoRows) {
				err = sameResult(ctx, tx, r.Call, content)
			} else if err == nil {
				tx.Emit(row.SessionKey, chat.EventTool, ToolEvent(row))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// sameResult returns nil if a call has this result already, else a Conflict.
func sameResult(ctx context.Context, tx *pg.Tx, id chat.CallID, content string) error {
	was, err := dbsqlc.Q.CallGet(ctx, tx, id)
	switch {
	case err != nil:
		return fmt.Errorf("read call %s: %w", id, err)
	case was.State != chat.CallDone:
		return fault.Errorf(fault.Conflict, "the turn that made the call %s has not ended; send the result once it has", id)
	case was.Result != content:
		return fault.Errorf(fault.Conflict, "the call %s has another result already", id)
	}
	return nil
}

// NewestMessage returns the newest message of a session, or 0 if there is none.
func (s *Answers) NewestMessage(ctx context.Context, key chat.SessionKey) (chat.InboxID, error) {
	id, err := dbsqlc.Q.AnswerNewest(ctx, s.db.Pool, key)
	return chat.InboxID(id), pg.Classify(err)
}

// ReleaseID removes the id that a client gave to a message of a user on a channel, so that the next message with it is a new one. row
// is the message; 0: any that has the id.
func (s *Answers) ReleaseID(ctx context.Context, user chat.UserID, channel, id string, row chat.InboxID) error {
	return pg.Classify(dbsqlc.Q.AnswerReleaseID(ctx, s.db.Pool, dbsqlc.AnswerReleaseIDParams{Channel: channel, UserID: user, PlatformID: id, Row: int64(row)}))
}
