package cronstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"xbot/internal/automation/dbsqlc"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
)

// outputRunes limits the output of a run that is shown.
const outputRunes = 4000

// RunDetails reads the details of a run from the rows of its turn: there is no second log. It returns NotFound if the job has no such run, or it was
// deleted.
func (s *Store) RunDetails(ctx context.Context, id chat.JobID, run int64) (chat.JobRunDetails, error) {
	none := fault.Errorf(fault.NotFound, "%s has no run %d, or it was forgotten", id, run)
	r, err := dbsqlc.Q.CronRunGet(ctx, s.db.Pool, dbsqlc.CronRunGetParams{ID: run, Job: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return chat.JobRunDetails{}, none
	}
	if err != nil {
		return chat.JobRunDetails{}, pg.Classify(fmt.Errorf("read run %d: %w", run, err))
	}
	rows, err := dbsqlc.Q.CronRuns(ctx, s.db.Pool, dbsqlc.CronRunsParams{One: run})
	if err != nil {
		return chat.JobRunDetails{}, pg.Classify(fmt.Errorf("read run %d: %w", run, err))
	}
	out := chat.JobRunDetails{Model: r.Model, Output: r.Output, Steps: []chat.JobStep{}}
	if text := []rune(r.Output); len(text) > outputRunes {
		out.Output = string(text[:outputRunes-1]) + "…"
	}
	for _, one := range rows {
		if one.ID == run {
			out.JobRun = RunOf(one)
		}
	}
	out.Status = statusOf(out.JobRun)
	if r.TurnID == nil {
		return out, nil
	}
	steps, err := dbsqlc.Q.CronRunSteps(ctx, s.db.Pool, string(*r.TurnID))
	if err != nil {
		return chat.JobRunDetails{}, pg.Classify(fmt.Errorf("read the steps of run %d: %w", run, err))
	}
	for _, k := range steps {
		out.Steps = append(out.Steps, chat.JobStep{Kind: k.Kind, Name: k.Name, Started: k.StartedAt, Ended: k.FinishedAt, Failed: k.Failed, Note: k.Note})
	}
	return out, nil
}

// statusOf returns the status of an outcome in the terms of the API: success, error or timeout; empty: the run is not over.
func statusOf(r chat.JobRun) string {
	switch r.Outcome {
	case "done", "silent":
		return "success"
	case "timeout", "skipped":
		return r.Outcome
	case "gone":
		return "skipped"
	case "stopped", "failed", "lost":
		return "error"
	}
	return ""
}

// RunsOf lists the newest runs of each of some jobs, newest first.
func (s *Store) RunsOf(ctx context.Context, jobs []chat.JobID, most int) (map[chat.JobID][]chat.JobRun, error) {
	ids := make([]string, len(jobs))
	for i, id := range jobs {
		ids[i] = string(id)
	}
	rows, err := dbsqlc.Q.CronRuns(ctx, s.db.Pool, dbsqlc.CronRunsParams{Jobs: ids, Most: int32(most)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the runs of %d jobs: %w", len(jobs), err))
	}
	out := map[chat.JobID][]chat.JobRun{}
	for _, r := range rows {
		out[r.JobID] = append(out[r.JobID], RunOf(r))
	}
	return out, nil
}

// ServedSession returns the session of a conversation of a service, by its id. It returns NotFound if there is none.
func (s *Store) ServedSession(ctx context.Context, id string) (chat.SessionKey, error) {
	key, err := dbsqlc.Q.ServedSession(ctx, s.db.Pool, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fault.Errorf(fault.NotFound, "there is no conversation %q of a service", id)
	}
	return key, pg.Classify(err)
}
