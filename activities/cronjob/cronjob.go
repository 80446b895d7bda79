// Package cronjob fires the cron jobs that are due.
package cronjob

import (
	"context"
	"time"

	"xbot/activities"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// JobStore keeps jobs and runs them.
type JobStore interface {
	// FireJob acts on the times of a job that have come, each once.
	FireJob(ctx context.Context, id chat.JobID, beat *chat.Heartbeat) (chat.Fired, error)
	// PassJob passes over the times of a job that have come, without a run.
	PassJob(ctx context.Context, id chat.JobID) (chat.Fired, error)
}

// Heartbeats returns the heartbeats of agents.
type Heartbeats interface {
	// Heartbeat returns the agent's heartbeat that a job is for; nil for other jobs.
	Heartbeat(ctx context.Context, id chat.JobID) (*chat.Heartbeat, error)
}

// CronJobs acts on the times of jobs.
type CronJobs struct {
	Jobs       JobStore
	Heartbeats Heartbeats
	// Copy is true if another installation has these jobs: none fires here. Once this is a separate one, the relay wakes those that are due.
	Copy bool
	// Words allows the names of jobs in Temporal histories.
	Words bool
}

// FireJobInput names a job.
type FireJobInput struct {
	Job chat.JobID `json:"job"`
}

// FireJobOutput is the state of the job after the call.
type FireJobOutput struct {
	Over    bool          `json:"over,omitempty"`   // it is done, or deleted
	Paused  bool          `json:"paused,omitempty"` // it has no next time until it is changed
	Runs    int           `json:"runs,omitempty"`   // how many times were acted on
	Wait    time.Duration `json:"wait,omitempty"`   // until the next time; not negative
	Next    string        `json:"next,omitempty"`   // the same, for operators
	Last    string        `json:"last,omitempty"`   // when it was acted on, for operators
	Heading string        `json:"heading,omitempty"`
}

// FireJob acts on the times of a job that have come. Run again, it finds nothing left to do.
func (t *CronJobs) FireJob(ctx context.Context, in FireJobInput) (FireJobOutput, error) {
	if t.Copy {
		return FireJobOutput{Paused: true}, nil
	}
	beat, err := t.Heartbeats.Heartbeat(ctx, in.Job)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return FireJobOutput{}, activities.Failure(ctx, err)
	}
	fired, err := t.Jobs.FireJob(ctx, in.Job, beat)
	if err != nil {
		return FireJobOutput{}, activities.Failure(ctx, err)
	}
	return t.outputOf(fired), nil
}

// GiveUp passes over the times of a job that have come, after worker processes crashed while they were acted on. The job continues with its next time; a
// job without one is paused.
func (t *CronJobs) GiveUp(ctx context.Context, in FireJobInput) (FireJobOutput, error) {
	passed, err := t.Jobs.PassJob(ctx, in.Job)
	if err != nil {
		return FireJobOutput{}, activities.Failure(ctx, err)
	}
	return t.outputOf(passed), nil
}

// outputOf returns the state of a job for its workflow.
func (t *CronJobs) outputOf(fired chat.Fired) FireJobOutput {
	j := fired.Job
	out := FireJobOutput{Runs: fired.Runs, Paused: j.State == chat.JobPaused || fired.Held, Over: j.State != chat.JobActive && j.State != chat.JobPaused}
	if j.Next != nil {
		out.Wait, out.Next = max(fired.Wait, 0), shownIn(*j.Next, j.Zone)
	}
	if fired.Runs > 0 {
		out.Last = shownIn(fired.At, j.Zone)
	}
	if t.Words && j.Name != "" {
		out.Heading = "**" + markdown.Escaped(chat.FirstWords(j.Name, chat.SummaryWords)) + "** · " + markdown.Escaped(j.When)
	}
	return out
}

func shownIn(at time.Time, zone string) string {
	if known, err := time.LoadLocation(zone); err == nil {
		at = at.In(known)
	}
	return at.Format("2006-01-02 15:04 MST")
}
