package tracestore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/tracing/dbsqlc"
)

// Kinds of exports.
const (
	KindTurn  = "turn"  // the trace of a turn
	KindScore = "score" // a rating
)

// Export is a trace or a rating that a target has not received yet.
type Export struct {
	Target     string
	Kind       string
	Turn       chat.TurnID
	Message    chat.MessageID // of a rating
	User       chat.UserID    // of a rating
	Generation int32
	Attempts   int // with this one
}

// Waiting is what waits for a target.
type Waiting struct {
	Target  string
	Count   int
	Oldest  time.Time
	Problem string // why the last attempt failed; empty: none did
}

// Claim takes up to n exports of a target that are due. They are due again after the lease, unless they are done before. Several processes may
// claim at once; an export goes to one of them.
func (s *Store) Claim(ctx context.Context, target string, lease time.Duration, n int) ([]Export, error) {
	rows, err := dbsqlc.Q.ExportClaim(ctx, s.db.Pool, dbsqlc.ExportClaimParams{Target: target, Lease: pg.Interval(lease), N: int32(n)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("claim exports: %w", err))
	}
	out := make([]Export, len(rows))
	for i, r := range rows {
		out[i] = Export{
			Target: r.Target, Kind: r.Kind, Turn: r.TurnID, Message: r.MessageID, User: r.UserID, Generation: r.Generation, Attempts: int(r.Attempts),
		}
	}
	return out, nil
}

// Done deletes an export that the target has accepted or refused permanently. A rating that has changed since the claim stays, and is due.
func (s *Store) Done(ctx context.Context, e Export) error {
	return pg.Classify(dbsqlc.Q.ExportDone(ctx, s.db.Pool, dbsqlc.ExportDoneParams{
		Target: e.Target, Kind: e.Kind, TurnID: e.Turn, MessageID: e.Message, UserID: e.User, Generation: e.Generation,
	}))
}

// Postpone makes all exports of a target due after a pause, with the reason.
func (s *Store) Postpone(ctx context.Context, target string, pause time.Duration, problem string) error {
	return pg.Classify(dbsqlc.Q.ExportPostpone(ctx, s.db.Pool, dbsqlc.ExportPostponeParams{Target: target, Pause: pg.Interval(pause), Problem: chat.Clean(problem)}))
}

// Resume makes the postponed exports of a target due.
func (s *Store) Resume(ctx context.Context, target string) error {
	return pg.Classify(dbsqlc.Q.ExportResume(ctx, s.db.Pool, target))
}

// Prune deletes the exports of a target that are older than a time, and the oldest beyond a number. It returns how many.
func (s *Store) Prune(ctx context.Context, target string, older time.Duration, most int) (int, error) {
	n, err := dbsqlc.Q.ExportPrune(ctx, s.db.Pool, dbsqlc.ExportPruneParams{Target: target, Older: pg.Interval(older), Most: int32(most)})
	return int(n), pg.Classify(err)
}

// Waiting returns what waits, by target.
func (s *Store) Waiting(ctx context.Context) (map[string]Waiting, error) {
	rows, err := dbsqlc.Q.ExportWaiting(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("count exports: %w", err))
	}
	out := map[string]Waiting{}
	for _, r := range rows {
		out[r.Target] = Waiting{Target: r.Target, Count: int(r.Waiting), Oldest: r.Oldest, Problem: r.Problem}
	}
	return out, nil
}

// Next returns the time until the next export of a target is due; ok is false if none waits.
func (s *Store) Next(ctx context.Context, target string) (in time.Duration, ok bool, err error) {
	ms, err := dbsqlc.Q.ExportNext(ctx, s.db.Pool, target)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, pg.Classify(fmt.Errorf("look for the next export: %w", err))
	}
	return max(time.Duration(ms)*time.Millisecond, 0), true, nil
}
