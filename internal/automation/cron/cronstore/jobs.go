package cronstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/automation/dbsqlc"
	"xbot/internal/automation/schedule"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/pg"
	"xbot/internal/turn/inbox"
	"xbot/internal/user/users"
)

// MaxJobs limits the active and paused jobs of a user.
const MaxJobs = 100

// Job is a job with its parsed schedule.
type Job struct {
	chat.Job
	Spec  schedule.Spec
	Home  chat.SessionKey // conversation in which it was made
	Agent string          // agent of a separate conversation of the job
	// MadeBy is the key of the request that made it; empty: it has none.
	MadeBy string
	// Most limits such jobs of its owner; 0: MaxJobs.
	Most int
}

// Clock returns the time of the database, which all processes share.
func (s *Store) Clock(ctx context.Context) (time.Time, error) {
	now, err := dbsqlc.Q.CronClock(ctx, s.db.Pool)
	return now, pg.Classify(err)
}

// AddJob stores a job whose first time is j.Next. For a repeated request it returns the existing job, and fresh is false.
// It returns TooLarge if the owner has the maximum number of jobs.
func (s *Store) AddJob(ctx context.Context, j Job) (made Job, fresh bool, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := users.Lock(ctx, tx, j.Owner); err != nil {
			return fmt.Errorf("lock the user: %w", err)
		}
		n, err := dbsqlc.Q.CronCount(ctx, tx, j.Owner)
		if err != nil {
			return fmt.Errorf("count jobs: %w", err)
		}
		if j.MadeBy != "" {
			row, err := dbsqlc.Q.CronMadeBy(ctx, tx, dbsqlc.CronMadeByParams{UserID: j.Owner, MadeBy: j.MadeBy})
			if made = jobOf(row); !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
		}
		if int(n) >= cmp.Or(j.Most, MaxJobs) && j.Heartbeat == "" {
			return i18n.Fault(fault.TooLarge, i18n.CronLimit, n)
		}
		row, err := dbsqlc.Q.CronInsert(ctx, tx, insertOf(j))
		made, fresh = jobOf(row), true
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.Errorf(fault.Conflict, "there is such a job; try again")
		}
		tx.WakeJob(j.ID)
		return err
	})
	return made, fresh && err == nil, err
}

func insertOf(j Job) dbsqlc.CronInsertParams {
	p := dbsqlc.CronInsertParams{
		ID: j.ID, UserID: j.Owner, MadeBy: j.MadeBy, Home: j.Home, Agent: j.Agent, Name: chat.Clean(j.Name), Message: chat.Clean(j.Message), Kind: string(j.Spec.Kind), Expr: j.Spec.Expr,
		EveryS: int64(j.Spec.Every / time.Second), Zone: j.Spec.Zone, Target: j.Target, Deliver: j.Deliver, Model: j.Model, Think: j.Think,
		Missed: j.Missed, MaxAgeS: int64(j.MaxAge), JitterS: int64(j.Jitter), MaxRuns: int32(j.MaxRuns), Heartbeat: j.Heartbeat,
	}
	p.At, p.NextAt, p.DueAt = j.times()
	p.Permits = json.RawMessage("{}")
	if j.Permits != nil {
		p.Permits, _ = json.Marshal(j.Permits) //nolint:errchkjson // strings and booleans
	}
	if j.Service != "" {
		p.ServiceID = &j.Service
		if j.Target != "" {
			p.Conversation = new(string(j.Target))
		}
	}
	return p
}

// times returns the columns of the instants of a job.
func (j Job) times() (at, next, due *time.Time) {
	if !j.Spec.At.IsZero() {
		at = &j.Spec.At
	}
	if j.Next != nil {
		next, due = j.Next, new(j.Next.Add(j.offset()))
	}
	return at, next, due
}

// offset returns the delay of the job after its times.
func (j Job) offset() time.Duration {
	return schedule.Offset(string(j.ID), time.Duration(j.Jitter)*time.Second)
}

// Job reads a job. It returns NotFound if there is none, or it was deleted.
func (s *Store) Job(ctx context.Context, id chat.JobID) (Job, error) {
	row, err := dbsqlc.Q.CronGet(ctx, s.db.Pool, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return Job{}, noJob(id)
	}
	j := jobOf(row.CronJob)
	j.OwnerName, j.Held = row.OwnerName, row.Held
	return j, pg.Classify(err)
}

func noJob(id chat.JobID) error { return fault.Errorf(fault.NotFound, "there is no job %q", id) }

// Listed selects jobs to list. The zero value lists all.
type Listed struct {
	Owner   chat.UserID // 0: of all users
	Track   string      // TrackHouse or TrackServices; empty: both
	Service string      // of one service; empty: of all
}

// The tracks of jobs.
const (
	TrackHouse    = "house"    // jobs of users, and heartbeats
	TrackServices = "services" // jobs that post to conversations of services
)

// Jobs lists jobs, the next to run first.
func (s *Store) Jobs(ctx context.Context, which Listed) ([]Job, error) {
	rows, err := dbsqlc.Q.CronList(ctx, s.db.Pool, dbsqlc.CronListParams{Owner: int64(which.Owner), Track: which.Track, Service: which.Service})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list jobs: %w", err))
	}
	out, ids := make([]Job, len(rows)), make([]string, len(rows))
	for i, r := range rows {
		out[i], ids[i] = jobOf(r.CronJob), string(r.CronJob.ID)
		out[i].OwnerName, out[i].Held = r.OwnerName, r.Held
	}
	runs, err := dbsqlc.Q.CronRuns(ctx, s.db.Pool, dbsqlc.CronRunsParams{Jobs: ids, Most: 1})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the last runs of jobs: %w", err))
	}
	for _, r := range runs {
		i := slices.IndexFunc(out, func(j Job) bool { return j.ID == r.JobID })
		out[i].Last = new(RunOf(r))
	}
	return out, nil
}

// Heartbeats lists the jobs that the policy has made.
func (s *Store) Heartbeats(ctx context.Context) ([]Job, error) {
	rows, err := dbsqlc.Q.CronHearts(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list heartbeats: %w", err))
	}
	out := make([]Job, len(rows))
	for i, r := range rows {
		out[i] = jobOf(r)
	}
	return out, nil
}

// JobRuns lists the newest runs of a job, newest first.
func (s *Store) JobRuns(ctx context.Context, id chat.JobID, most int) ([]chat.JobRun, error) {
	rows, err := dbsqlc.Q.CronRuns(ctx, s.db.Pool, dbsqlc.CronRunsParams{Jobs: []string{string(id)}, Most: int32(most)})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list the runs of %s: %w", id, err))
	}
	out := make([]chat.JobRun, len(rows))
	for i, r := range rows {
		out[i] = RunOf(r)
	}
	return out, nil
}

// ChangeJob applies change to a job, with the time of the database, under a lock of the job.
func (s *Store) ChangeJob(ctx context.Context, id chat.JobID, change func(j *Job, now time.Time) error) (Job, error) {
	var out Job
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.CronLock(ctx, tx, id)
		if errors.Is(err, pgx.ErrNoRows) {
			return noJob(id)
		}
		if err != nil {
			return fmt.Errorf("lock job %s: %w", id, err)
		}
		j := jobOf(row.CronJob)
		if err := change(&j, row.Clock); err != nil {
			return err
		}
		p := insertOf(j)
		changed, err := dbsqlc.Q.CronChange(ctx, tx, dbsqlc.CronChangeParams{
			ID: id, Name: p.Name, Message: p.Message, Kind: p.Kind, Expr: p.Expr, EveryS: p.EveryS, At: p.At, Zone: p.Zone, Target: p.Target, Conversation: p.Conversation, Permits: p.Permits, Deliver: p.Deliver,
			Model: p.Model, Think: p.Think, Missed: p.Missed, MaxAgeS: p.MaxAgeS, JitterS: p.JitterS, MaxRuns: p.MaxRuns, State: j.State, NextAt: p.NextAt, DueAt: p.DueAt,
		})
		out = jobOf(changed)
		tx.WakeJob(id)
		return err
	})
	return out, err
}

// DeleteJob deletes a job with its history. Runs that no turn has begun are dropped; messages that it posted to conversations stay.
func (s *Store) DeleteJob(ctx context.Context, id chat.JobID) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		n, err := dbsqlc.Q.CronDelete(ctx, tx, id)
		if err == nil && n == 0 {
			return noJob(id)
		}
		if err != nil {
			return err
		}
		waiting, err := dbsqlc.Q.CronDropWaiting(ctx, tx, id)
		if err != nil {
			return fmt.Errorf("drop the waiting runs of %s: %w", id, err)
		}
		for _, r := range waiting {
			if _, err := inbox.EmitDropped(ctx, tx, r.SessionKey, r.ID, r.Body, inbox.OutcomeRecalled, i18n.Recalled); err != nil {
				return err
			}
		}
		tx.WakeJob(id)
		return forgetRuns(ctx, tx, []chat.JobID{id})
	})
}

// keepDone limits the jobs of a user that are kept after they are done: a user of reminders has many.
const keepDone = 100

// deleteDoneJobs deletes the older done jobs of a user.
func deleteDoneJobs(ctx context.Context, t *pg.Tx, user chat.UserID) error {
	gone, err := dbsqlc.Q.CronForgetDone(ctx, t, dbsqlc.CronForgetDoneParams{UserID: user, Keep: keepDone})
	if err != nil {
		return err
	}
	return forgetRuns(ctx, t, gone)
}

// forgetRuns deletes the runs of those jobs that were deleted, except runs that have a place.
func forgetRuns(ctx context.Context, t *pg.Tx, jobs []chat.JobID) error {
	if len(jobs) == 0 {
		return nil
	}
	ids := make([]string, len(jobs))
	for i, id := range jobs {
		ids[i] = string(id)
	}
	if err := dbsqlc.Q.CronRunsForget(ctx, t, ids); err != nil {
		return fmt.Errorf("forget the runs of deleted jobs: %w", err)
	}
	return nil
}

// OverdueJobs takes jobs that did not run although their time has come. It returns each at growing intervals.
func (s *Store) OverdueJobs(ctx context.Context) ([]chat.JobID, error) {
	ids, err := dbsqlc.Q.CronOverdue(ctx, s.db.Pool)
	return ids, pg.Classify(err)
}

func jobOf(r dbsqlc.CronJob) Job {
	spec := schedule.Spec{Kind: schedule.Kind(r.Kind), Expr: r.Expr, Every: time.Duration(r.EveryS) * time.Second, Zone: r.Zone}
	if r.At != nil {
		spec.At = *r.At
	}
	return Job{
		Job: chat.Job{
			ID: r.ID, Owner: r.UserID, JobTrack: chat.JobTrack{Service: serviceOf(r)}, Heartbeat: r.Heartbeat, State: r.State, Trouble: r.Trouble, Runs: int(r.Runs), Passed: r.Passed, Next: r.NextAt,
			Revision: r.Revision, CreatedAt: r.CreatedAt,
			JobPlan: chat.JobPlan{
				Name: r.Name, Message: r.Message, When: spec.String(), Zone: r.Zone, Target: r.Target, Deliver: r.Deliver, Model: r.Model, Think: r.Think,
				Missed: r.Missed, MaxAge: int(r.MaxAgeS), Jitter: int(r.JitterS), MaxRuns: int(r.MaxRuns), Permits: permitsOf(r.Permits),
			},
		},
		Spec: spec, Home: r.Home, Agent: r.Agent, MadeBy: r.MadeBy,
	}
}

// permitsOf returns the restrictions of a job, or nil if there is none. Invalid ones leave no tool.
func permitsOf(row json.RawMessage) *chat.JobPermits {
	if len(row) == 0 || string(row) == "{}" {
		return nil
	}
	out := &chat.JobPermits{}
	if err := json.Unmarshal(row, out); err != nil {
		return &chat.JobPermits{Tools: []string{"none"}, ReadOnly: true, Offline: true}
	}
	return out
}

// serviceOf returns the service to whose conversations a job posts; empty: none.
func serviceOf(r dbsqlc.CronJob) string {
	if r.ServiceID == nil {
		return ""
	}
	return *r.ServiceID
}

// Columns of a run of the track.
const (
	laneQueued = "queued"
	laneOver   = "over"
	whyGone    = "gone"
)

// saidRunes limits the part of a reply that is shown.
const saidRunes = 200

// RunOf returns the run of a row.
func RunOf(r dbsqlc.CronRunsRow) chat.JobRun {
	out := chat.JobRun{
		ID: r.ID, Scheduled: r.ScheduledAt, Reason: r.Reason, Session: r.SessionKey, Began: r.CreatedAt, Ended: r.EndedAt, Why: r.Skipped, Said: chat.FirstWords(r.Said, saidRunes),
	}
	if r.TurnID != nil {
		out.Turn = *r.TurnID
	}
	if r.PostedAt != nil {
		out.Began, out.Ended = *r.PostedAt, r.OverAt
	}
	switch {
	case r.Skipped == whyGone:
		out.Outcome = "gone"
	case r.Skipped != "":
		out.Outcome = "skipped"
	case r.Lane == laneQueued:
		out.Outcome = "queued"
	case r.TimedOut && r.Lane == laneOver:
		out.Outcome = "timeout"
	case r.Gone:
		out.Outcome = "gone"
	case r.Outcome == "":
		out.Outcome = "waiting"
	case r.TurnState == string(chat.TurnDone) && r.Silent:
		out.Outcome = "silent"
	default:
		out.Outcome = cmp.Or(r.TurnState, "done")
	}
	return out
}
