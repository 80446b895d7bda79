// Package threads stores the threads of coding agents that conversations continue, and the processes that answer their turns.
package threads

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/codingagent/dbsqlc"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/conversation"
)

// Store keeps threads and processes. It is safe for concurrent use.
type Store struct{ db *pg.DB }

// New returns a store over the database.
func New(db *pg.DB) *Store { return &Store{db: db} }

// CodingThread returns the thread that a conversation continues, or nil if there is none.
func (s *Store) CodingThread(ctx context.Context, key chat.SessionKey) (*codingagent.Binding, error) {
	row, err := dbsqlc.Q.CodingThread(ctx, s.db.Pool, key)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && row.Fresh {
		return nil, nil
	}
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("read the thread of a conversation: %w", err))
	}
	return &codingagent.Binding{
		Agent: row.Agent, Thread: row.Thread, Runner: row.Runner, Dir: row.Dir, Upto: row.Upto,
		Usage: codingagent.Usage{Input: row.InputTokens, CachedInput: row.CachedTokens, Output: row.OutputTokens},
	}, nil
}

// BindCodingThread makes a conversation continue a thread from its newest message on. NotFound means that the thread belongs to
// a conversation of another user, Conflict that a turn runs.
func (s *Store) BindCodingThread(ctx context.Context, key chat.SessionKey, b codingagent.Binding) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		others, err := dbsqlc.Q.CodingThreadOfOthers(ctx, tx, dbsqlc.CodingThreadOfOthersParams{Agent: b.Agent, Thread: chat.Clean(b.Thread), SessionKey: key})
		if err != nil {
			return fmt.Errorf("look whose a thread is: %w", err)
		}
		if others {
			return i18n.Fault(fault.NotFound, i18n.ThreadUnknown, b.Thread)
		}
		bound, err := dbsqlc.Q.CodingThreadBind(ctx, tx, dbsqlc.CodingThreadBindParams{
			SessionKey: key, Agent: b.Agent, Thread: chat.Clean(b.Thread), Runner: b.Runner, Dir: b.Dir,
		})
		if err != nil {
			return fmt.Errorf("bind a thread: %w", err)
		}
		if bound == 0 {
			return i18n.Fault(fault.Conflict, i18n.ThreadBusy)
		}
		return nil
	})
}

// KeepCodingThread notes the thread that a turn has, as soon as its agent names it.
func (s *Store) KeepCodingThread(ctx context.Context, key chat.SessionKey, b codingagent.Binding) error {
	return pg.Classify(keep(ctx, s.db.Pool, key, b))
}

func keep(ctx context.Context, db pg.DBTX, key chat.SessionKey, b codingagent.Binding) error {
	err := dbsqlc.Q.CodingThreadKeep(ctx, db, dbsqlc.CodingThreadKeepParams{
		SessionKey: key, Agent: b.Agent, Thread: chat.Clean(b.Thread), Runner: b.Runner, Dir: b.Dir, Upto: b.Upto,
	})
	if err != nil {
		return fmt.Errorf("keep the thread of a coding agent: %w", err)
	}
	return nil
}

// CodingRuns lists the processes of a turn, the first round first.
func (s *Store) CodingRuns(ctx context.Context, turn chat.TurnID) ([]codingagent.Run, error) {
	rows, err := dbsqlc.Q.CodingRunList(ctx, s.db.Pool, turn)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the processes of a turn: %w", err))
	}
	out := make([]codingagent.Run, len(rows))
	for i, r := range rows {
		out[i] = codingagent.Run{Turn: turn, Round: int(r.Round), Upto: r.Upto, Runner: r.Runner, Store: r.Store, Ended: r.Ended}
		if err := json.Unmarshal(r.Request, &out[i].Request); err != nil {
			return nil, fmt.Errorf("decode what a coding agent was asked: %w", err)
		}
	}
	return out, nil
}

// AskingCodingRuns lists the processes that wait for a user, at most 500, in random order.
func (s *Store) AskingCodingRuns(ctx context.Context) ([]codingagent.AskingRun, error) {
	rows, err := dbsqlc.Q.CodingRunListAsking(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the coding agents that wait for a person: %w", err))
	}
	out := make([]codingagent.AskingRun, len(rows))
	for i, r := range rows {
		out[i] = codingagent.AskingRun{
			Call: r.CallID, Agent: r.Agent, Owner: r.UserID,
			Run: codingagent.Run{Turn: r.TurnID, Round: int(r.Round), Runner: r.Runner, Store: r.Store},
		}
	}
	return out, nil
}

// NewestCodingRuns lists how the newest turn of each agent on each runner of each user ended, as far as it is stored.
func (s *Store) NewestCodingRuns(ctx context.Context) ([]codingagent.NewestRun, error) {
	rows, err := dbsqlc.Q.CodingRunListNewest(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the newest turns of coding agents: %w", err))
	}
	out := make([]codingagent.NewestRun, len(rows))
	for i, r := range rows {
		out[i] = codingagent.NewestRun{Agent: r.Agent, Runner: r.Runner, Owner: r.UserID, At: r.EndedAt, Answered: r.Answered}
	}
	return out, nil
}

// BeginCodingRun records a process before it is started. The first one of a round wins and is returned. Conflict means that the turn is over.
func (s *Store) BeginCodingRun(ctx context.Context, key chat.SessionKey, r codingagent.Run) (codingagent.Run, error) {
	r.Request.Text = chat.Clean(r.Request.Text)
	request, err := json.Marshal(r.Request)
	if err != nil {
		return r, fmt.Errorf("encode what a coding agent is asked: %w", err)
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := dbsqlc.Q.CodingRunForget(ctx, tx, dbsqlc.CodingRunForgetParams{SessionKey: key, TurnID: r.Turn}); err != nil {
			return fmt.Errorf("forget earlier processes: %w", err)
		}
		return dbsqlc.Q.CodingRunBegin(ctx, tx, dbsqlc.CodingRunBeginParams{
			TurnID: r.Turn, Round: int32(r.Round), SessionKey: key, Request: request, Upto: r.Upto, Runner: r.Runner,
		})
	})
	if err != nil {
		return r, err
	}
	all, err := s.CodingRuns(ctx, r.Turn)
	if err != nil {
		return r, err
	}
	for _, stands := range all {
		if stands.Round == r.Round {
			return stands, nil
		}
	}
	return r, errOver
}

// errOver means that a turn is over, so that nothing is started for it.
var errOver = fault.Errorf(fault.Conflict, "the turn is over: no coding agent is started for it")

// SendCodingRun records to which job store a process is sent, before it is. Conflict means that its turn is over.
func (s *Store) SendCodingRun(ctx context.Context, r codingagent.Run, store string) error {
	open, err := dbsqlc.Q.CodingRunSent(ctx, s.db.Pool, dbsqlc.CodingRunSentParams{TurnID: r.Turn, Round: int32(r.Round), Store: store})
	if err == nil && open == 0 {
		return errOver
	}
	return pg.Classify(err)
}

// EndCodingRun records the end of a process, and the thread that its conversation continues; used is its usage. Repeating it adds nothing.
func (s *Store) EndCodingRun(ctx context.Context, key chat.SessionKey, r codingagent.Run, b codingagent.Binding, used codingagent.Usage) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		ended, err := dbsqlc.Q.CodingRunEnd(ctx, tx, dbsqlc.CodingRunEndParams{TurnID: r.Turn, Round: int32(r.Round)})
		if err != nil || ended == 0 {
			return err
		}
		if b.Thread != "" || b.Agent != "" && r.Request.Thread != "" { // a thread that is gone is forgotten
			if err := keep(ctx, tx, key, b); err != nil {
				return err
			}
		}
		return dbsqlc.Q.CodingThreadSpend(ctx, tx, dbsqlc.CodingThreadSpendParams{SessionKey: key, Input: used.Input, Cached: used.CachedInput, Output: used.Output})
	})
}

// TurnLanguage returns the language of the message that a turn answers.
func (s *Store) TurnLanguage(ctx context.Context, turn chat.TurnID) (i18n.Lang, error) {
	lang, err := conversation.LangOf(ctx, s.db.Pool, turn)
	return lang, pg.Classify(err)
}
