// Package crashstore stores the activity calls during which worker processes died.
package crashstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"xbot/internal/host/crash"
	"xbot/internal/host/dbsqlc"
	"xbot/internal/pg"
)

// Store keeps the counts.
type Store struct{ db *pg.DB }

// New returns a store over a pool, which its caller closes.
func New(pool *pgxpool.Pool) *Store { return &Store{db: pg.New(pool, nil)} }

// CountCrash adds the end of a process to the counts of its attempts: a crash to the blamed ones, a kill to the others. A call counts once for
// several attempts, and a journal counts once, even if it is counted again.
func (s *Store) CountCrash(ctx context.Context, version string, d crash.Death) error {
	counted := map[crash.Call]bool{}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		for i, a := range slices.Concat(d.Blamed, d.Beside) {
			if counted[a.Call] {
				continue
			}
			counted[a.Call] = true
			p := dbsqlc.CrashAddParams{WorkflowID: a.Workflow, Activity: a.Activity, Input: a.Input, RunID: a.Run, Version: version, Journal: d.Journal}
			switch {
			case i >= len(d.Blamed):
				p.Kills = 1
			case a.Alone:
				p.Crashes, p.Alone, p.Cause = 1, 1, d.Cause
			default:
				p.Crashes, p.Cause = 1, d.Cause
			}
			if err := dbsqlc.Q.CrashAdd(ctx, tx, p); err != nil {
				return fmt.Errorf("count a crash of %s: %w", a.Call, err)
			}
		}
		return dbsqlc.Q.CrashPrune(ctx, tx)
	})
}

// CrashCount returns the count of a call; zero if there is none.
func (s *Store) CrashCount(ctx context.Context, version string, c crash.Call) (crash.Count, error) {
	row, err := dbsqlc.Q.CrashGet(ctx, s.db.Pool, dbsqlc.CrashGetParams{WorkflowID: c.Workflow, Activity: c.Activity, Input: c.Input, Version: version})
	if errors.Is(err, pgx.ErrNoRows) {
		return crash.Count{}, nil
	}
	if err != nil {
		return crash.Count{}, pg.Classify(fmt.Errorf("read the crashes of %s: %w", c, err))
	}
	return countOf(row), nil
}

// CrashCounts returns all current counts.
func (s *Store) CrashCounts(ctx context.Context, version string) (map[crash.Call]crash.Count, error) {
	rows, err := dbsqlc.Q.CrashList(ctx, s.db.Pool, version)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list crashed calls: %w", err))
	}
	out := make(map[crash.Call]crash.Count, len(rows))
	for _, r := range rows {
		out[callOf(r)] = countOf(r)
	}
	return out, nil
}

// ForgetCrashes deletes the count of a call that has ended well. A call that was given up before stays in CallsGivenUp.
func (s *Store) ForgetCrashes(ctx context.Context, c crash.Call) error {
	err := dbsqlc.Q.CrashForget(ctx, s.db.Pool, dbsqlc.CrashForgetParams{WorkflowID: c.Workflow, Activity: c.Activity, Input: c.Input})
	return pg.Classify(err)
}

// ForgiveCrashes lets a call with the same input run again after its ending, unless that happened since the call was first given up in the last day.
func (s *Store) ForgiveCrashes(ctx context.Context, c crash.Call) error {
	err := dbsqlc.Q.CrashForgive(ctx, s.db.Pool, dbsqlc.CrashForgiveParams{WorkflowID: c.Workflow, Activity: c.Activity, Input: c.Input})
	return pg.Classify(err)
}

// GiveUpCall records that a call is not retried.
func (s *Store) GiveUpCall(ctx context.Context, c crash.Call) error {
	err := dbsqlc.Q.CrashGiveUp(ctx, s.db.Pool, dbsqlc.CrashGiveUpParams{WorkflowID: c.Workflow, Activity: c.Activity, Input: c.Input})
	return pg.Classify(err)
}

// CallsGivenUp returns up to 20 calls that were given up in the last day, the newest first.
func (s *Store) CallsGivenUp(ctx context.Context) ([]crash.GivenUpError, error) {
	rows, err := dbsqlc.Q.CrashListGivenUp(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list calls that were given up: %w", err))
	}
	out := make([]crash.GivenUpError, len(rows))
	for i, r := range rows {
		out[i] = crash.GivenUpError{Call: callOf(r), Count: countOf(r)}
	}
	return out, nil
}

func callOf(r dbsqlc.CrashedAttempt) crash.Call {
	return crash.Call{Workflow: r.WorkflowID, Activity: r.Activity, Input: r.Input}
}

func countOf(r dbsqlc.CrashedAttempt) crash.Count {
	return crash.Count{Crashes: int(r.Crashes), Alone: int(r.Alone), Kills: int(r.Kills), Cause: r.Cause}
}
