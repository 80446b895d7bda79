package engine

import (
	"context"
	"fmt"
	"time"
	"xbot/internal/turn/dbsqlc"

	"xbot/internal/chat"
	"xbot/internal/pg"
)

// Work is what a turn does now.
type Work struct {
	Run     string // of its workflow
	Model   string
	Started time.Time
	Steps   int    // calls of the model that were begun
	Tools   string // names of the tools that run, separated by commas; empty if none does
}

// WorkOf returns what a turn does now; NotFound if there is no such turn.
func (s *Store) WorkOf(ctx context.Context, turn chat.TurnID) (Work, error) {
	row, err := dbsqlc.Q.WorkOf(ctx, s.db.Pool, turn)
	if err != nil {
		return Work{}, pg.Classify(fmt.Errorf("read what turn %s does: %w", turn, err))
	}
	return Work{Run: row.RunID, Model: row.Model, Started: row.StartedAt, Steps: int(row.Steps), Tools: row.Tools}, nil
}

// RunningTurn is a turn that runs.
type RunningTurn struct {
	Turn    chat.TurnID
	Session chat.SessionKey
	Steps   int
	Started time.Time
}

// RunningTurns lists turns that run, the oldest first.
func (s *Store) RunningTurns(ctx context.Context, limit int) ([]RunningTurn, error) {
	rows, err := dbsqlc.Q.RunningList(ctx, s.db.Pool, int32(limit))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list running turns: %w", err))
	}
	out := make([]RunningTurn, len(rows))
	for i, r := range rows {
		out[i] = RunningTurn{Turn: r.ID, Session: r.SessionKey, Steps: int(r.Steps), Started: r.StartedAt}
	}
	return out, nil
}

// IdentitiesOf lists the channel identities of a user as channel:peer, or channel:account:peer if there is a bot account.
func (s *Store) IdentitiesOf(ctx context.Context, user chat.UserID) ([]string, error) {
	rows, err := dbsqlc.Q.IdentitiesOf(ctx, s.db.Pool, user)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the identities of user %d: %w", user, err))
	}
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = r.Channel + ":" + r.Peer
		if r.Account != "" {
			out[i] = r.Channel + ":" + r.Account + ":" + r.Peer
		}
	}
	return out, nil
}

// CdDone sets the working folder of a session, as the command of a turn, and answers the command with a sentence. A command
// is carried out once.
func (s *Store) CdDone(ctx context.Context, turn chat.TurnID, runner, dir, say string) error {
	return s.stores.Conversations.AnswerCommand(ctx, turn, func(tx *pg.Tx, o chat.TurnCommand) (string, error) {
		return say, s.stores.Conversations.SetCwdIn(ctx, tx, o.Session, runner, dir)
	})
}
