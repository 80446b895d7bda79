// Package cron creates, changes and runs jobs for users, models and the policy: it checks the requests, decides who owns a
// job, and wakes the job's workflow. The store and workflows run a job at its times.
package cron

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/automation/schedule"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/service"
)

// Conversations reads sessions.
type Conversations interface {
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
}

// Cron is the store of jobs and their runs.
type Cron interface {
	AddJob(ctx context.Context, j cronstore.Job) (made cronstore.Job, fresh bool, err error)
	ChangeJob(ctx context.Context, id chat.JobID, change func(j *cronstore.Job, now time.Time) error) (cronstore.Job, error)
	Clock(ctx context.Context) (time.Time, error)
	DeleteJob(ctx context.Context, id chat.JobID) error
	Heartbeats(ctx context.Context) ([]cronstore.Job, error)
	Job(ctx context.Context, id chat.JobID) (cronstore.Job, error)
	JobOwner(ctx context.Context, user chat.UserID) (cronstore.Owner, error)
	JobRuns(ctx context.Context, id chat.JobID, most int) ([]chat.JobRun, error)
	Jobs(ctx context.Context, which cronstore.Listed) ([]cronstore.Job, error)
	RunDetails(ctx context.Context, id chat.JobID, run int64) (chat.JobRunDetails, error)
	RunJob(ctx context.Context, id chat.JobID, once string) (chat.Fired, error)
	RunsOf(ctx context.Context, jobs []chat.JobID, most int) (map[chat.JobID][]chat.JobRun, error)
	ServedSession(ctx context.Context, id string) (chat.SessionKey, error)
}

// Services reads services.
type Services interface {
	Service(ctx context.Context, id string) (service.Service, error)
}

// Jobs handles requests about jobs.
type Jobs struct {
	Conversations Conversations
	Cron          Cron
	Services      Services
	Zones         ZoneFinder
	Models        Models // nil: none is known
}

// ZoneFinder finds the timezone of a user for jobs that name none.
type ZoneFinder interface {
	ZoneOf(ctx context.Context, user chat.UserID) (Zone, error)
}

// Models finds the id of a model by a name.
type Models interface {
	Resolve(ctx context.Context, user chat.UserID, word string) (id string, ok bool)
}

// Zone returns the timezone of a user for jobs that name none.
func (d *Jobs) Zone(ctx context.Context, user chat.UserID) (Zone, error) {
	return d.Zones.ZoneOf(ctx, user)
}

// Caller is the user of a request: a user sees the user's jobs, an administrator sees all.
type Caller struct {
	User  chat.UserID
	Admin bool
}

// From is the origin of a request.
type From struct {
	// Home is the conversation in which it was made; empty: none.
	Home chat.SessionKey
	// Once is the key of the request: again under the same one, nothing new happens.
	Once string
	// Service is the service whose conversations get the message, all of them where the plan has no target; for administrators. Empty: it is a
	// job outside services, unless its target is a conversation of a service.
	Service string
}

// List returns the jobs of the caller, or of all users. The next to run come first.
func (d *Jobs) List(ctx context.Context, w Caller, all bool) ([]chat.Job, error) {
	return d.Listed(ctx, w, all, cronstore.Listed{})
}

// Listed returns the jobs of a track or service. which.Owner is ignored.
func (d *Jobs) Listed(ctx context.Context, w Caller, all bool, which cronstore.Listed) ([]chat.Job, error) {
	if which.Owner = w.User; all && w.Admin {
		which.Owner = 0
	}
	jobs, err := d.Cron.Jobs(ctx, which)
	if err != nil {
		return nil, err
	}
	out := make([]chat.Job, len(jobs))
	for i, j := range jobs {
		out[i] = j.Job
	}
	return out, nil
}

// Find finds a job by its id, with or without its prefix, or by its name.
func (d *Jobs) Find(ctx context.Context, w Caller, word string) (chat.Job, error) {
	word = strings.Trim(strings.TrimSpace(word), "`")
	jobs, err := d.List(ctx, w, true)
	if err != nil {
		return chat.Job{}, err
	}
	is := func(j chat.Job) bool { return string(j.ID) == word || string(j.ID) == "job_"+word }
	if i := slices.IndexFunc(jobs, is); i >= 0 {
		return jobs[i], nil
	}
	named := slices.DeleteFunc(jobs, func(j chat.Job) bool { return !strings.EqualFold(j.Name, word) || j.Owner != w.User })
	switch len(named) {
	case 0:
		return chat.Job{}, i18n.Fault(fault.NotFound, i18n.CronUnknown, word)
	case 1:
		return named[0], nil
	}
	return chat.Job{}, i18n.Fault(fault.Conflict, i18n.CronTwo, word)
}

// Add creates a job.
func (d *Jobs) Add(ctx context.Context, w Caller, p chat.JobPlan, from From) (chat.Job, error) {
	now, err := d.Cron.Clock(ctx)
	if err != nil {
		return chat.Job{}, err
	}
	j := cronstore.Job{Job: chat.Job{ID: newID(), Owner: w.User, JobTrack: chat.JobTrack{Service: from.Service}, State: chat.JobActive, JobPlan: p}, Home: from.Home, MadeBy: from.Once}
	if err := d.check(ctx, w, &j, chat.JobPlan{}); err != nil {
		return chat.Job{}, err
	}
	if err := timed(&j, now); err != nil {
		return chat.Job{}, err
	}
	if from.Home != "" {
		s, _, err := d.Conversations.Session(ctx, from.Home)
		if err != nil {
			return chat.Job{}, err
		}
		j.Agent = s.Agent
	}
	made, _, err := d.Cron.AddJob(ctx, j)
	return made.Job, err
}

// newID returns a random id: jobs are few, and a taken id is refused.
func newID() chat.JobID {
	var b [4]byte
	_, _ = rand.Read(b[:]) // it never fails
	return chat.JobID("job_" + hex.EncodeToString(b[:]))
}

// Change applies edit to the plan of a job. revision is that of the job the edit is based on; 0: any. A job that is done
// continues if it has a time left.
func (d *Jobs) Change(ctx context.Context, w Caller, id chat.JobID, revision int64, edit func(p *chat.JobPlan)) (chat.Job, error) {
	old, err := d.mine(ctx, w, id)
	if err != nil {
		return chat.Job{}, err
	}
	plan := old
	edit(&plan.JobPlan)
	if err := d.check(ctx, Caller{User: old.Owner, Admin: w.Admin}, &plan, old.JobPlan); err != nil {
		return chat.Job{}, err
	}
	if plan.Service != old.Service {
		return chat.Job{}, fault.Errorf(fault.Invalid, "a job cannot go from the house to a service, nor from one service to another: make a new one")
	}
	return d.change(ctx, id, func(j *cronstore.Job, now time.Time) error {
		if j.Revision != old.Revision || revision != 0 && revision != j.Revision {
			return i18n.Fault(fault.Conflict, i18n.CronChangedMeanwhile)
		}
		moved := plan.When != j.When || plan.Zone != j.Zone
		j.JobPlan, j.Consumer = plan.JobPlan, plan.Consumer
		if moved {
			if err := timed(j, now); err != nil {
				return err
			}
		}
		return settle(j, now, moved)
	})
}

// settle derives the state and next time of a changed job.
func settle(j *cronstore.Job, now time.Time, moved bool) error {
	more := j.MaxRuns == 0 || j.Runs < j.MaxRuns
	switch {
	case j.State == chat.JobPaused:
		j.Next = nil
	case !more:
		j.State, j.Next = chat.JobDone, nil
	case j.State == chat.JobDone && !moved:
		if err := next(j, now); err == nil {
			j.State = chat.JobActive
		}
	default:
		j.State = chat.JobActive
	}
	return nil
}

// Pause pauses a job until it is resumed.
func (d *Jobs) Pause(ctx context.Context, w Caller, id chat.JobID) (chat.Job, error) {
	if _, err := d.mine(ctx, w, id); err != nil {
		return chat.Job{}, err
	}
	return d.change(ctx, id, func(j *cronstore.Job, _ time.Time) error {
		if j.State == chat.JobActive {
			j.State, j.Next = chat.JobPaused, nil
		}
		return nil
	})
}

// Resume resumes a job. Times that it missed while it was paused are not made up for.
func (d *Jobs) Resume(ctx context.Context, w Caller, id chat.JobID) (chat.Job, error) {
	if _, err := d.mine(ctx, w, id); err != nil {
		return chat.Job{}, err
	}
	return d.change(ctx, id, func(j *cronstore.Job, now time.Time) error {
		if j.State == chat.JobActive {
			return nil
		}
		if j.MaxRuns > 0 && j.Runs >= j.MaxRuns {
			return i18n.Fault(fault.Conflict, i18n.CronOver)
		}
		j.State = chat.JobActive
		return next(j, now)
	})
}

// Remove deletes a job.
func (d *Jobs) Remove(ctx context.Context, w Caller, id chat.JobID) error {
	if _, err := d.mine(ctx, w, id); err != nil {
		return err
	}
	return d.Cron.DeleteJob(ctx, id)
}

// Run runs a job at once, once for each key of a request. Its times do not change.
func (d *Jobs) Run(ctx context.Context, w Caller, id chat.JobID, once string) error {
	j, err := d.mine(ctx, w, id)
	if err != nil {
		return err
	}
	if who, err := d.Cron.JobOwner(ctx, j.Owner); err != nil || who.Consumer && !w.Admin {
		return errors.Join(err, fault.Errorf(fault.Denied, "a job of this conversation runs at its times alone"))
	}
	_, err = d.Cron.RunJob(ctx, id, once)
	return err
}

// Runs lists the newest runs of a job, newest first.
func (d *Jobs) Runs(ctx context.Context, w Caller, id chat.JobID, most int) ([]chat.JobRun, error) {
	if _, err := d.seen(ctx, w, id); err != nil {
		return nil, err
	}
	return d.Cron.JobRuns(ctx, id, most)
}

// RunDetails returns a run with its output. The full output of another user's run is only for that user; of a service's, for its administrators.
func (d *Jobs) RunDetails(ctx context.Context, w Caller, id chat.JobID, run int64) (chat.JobRunDetails, error) {
	j, err := d.seen(ctx, w, id)
	if err != nil {
		return chat.JobRunDetails{}, err
	}
	out, err := d.Cron.RunDetails(ctx, id, run)
	if j.Owner != w.User && j.Service == "" {
		out.Output = out.Said
	}
	return out, err
}

// Preview returns the next n times of a schedule, its normal form, and its timezone: the given one, else the caller's.
func (d *Jobs) Preview(ctx context.Context, w Caller, when, zone string, n int) (text, in string, times []time.Time, err error) {
	now, err := d.Cron.Clock(ctx)
	if err != nil {
		return "", "", nil, err
	}
	if in, err = d.zone(ctx, w.User, zone); err != nil {
		return "", "", nil, err
	}
	spec, err := schedule.Read(when, in, now)
	if err != nil {
		return "", "", nil, err
	}
	table, err := schedule.New(spec)
	if err != nil {
		return "", "", nil, err
	}
	return spec.String(), in, table.Preview(now, n), nil
}

// change changes a job, which wakes its workflow.
func (d *Jobs) change(ctx context.Context, id chat.JobID, do func(j *cronstore.Job, now time.Time) error) (chat.Job, error) {
	j, err := d.Cron.ChangeJob(ctx, id, do)
	return j.Job, err
}

// seen returns a job that the caller may see; any other one is NotFound.
func (d *Jobs) seen(ctx context.Context, w Caller, id chat.JobID) (cronstore.Job, error) {
	j, err := d.Cron.Job(ctx, id)
	if fault.Is(err, fault.NotFound) || err == nil && j.Owner != w.User && !w.Admin {
		return cronstore.Job{}, i18n.Fault(fault.NotFound, i18n.CronUnknown, id)
	}
	return j, err
}

// mine returns a job that the caller may change.
func (d *Jobs) mine(ctx context.Context, w Caller, id chat.JobID) (cronstore.Job, error) {
	j, err := d.seen(ctx, w, id)
	if err == nil && j.Heartbeat != "" {
		return j, i18n.Fault(fault.Denied, i18n.CronPolicy)
	}
	return j, err
}
