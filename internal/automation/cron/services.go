package cron

import (
	"context"
	"time"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/automation/schedule"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/service"
)

// Limits of the jobs of a conversation of a service, which a consumer creates.
const (
	// ConsumerJobs limits the active and paused jobs.
	ConsumerJobs = 10
	// ConsumerEvery is the minimum time from one run of a job to the next, and from now to the first.
	ConsumerEvery = 5 * time.Minute
	// pacedTimes is the number of times of an expression that are checked: with at least five minutes between them, more than two days of them.
	pacedTimes = 600
)

// place assigns a job to its track, refuses what its owner may not have there, and returns the user whose timezone applies to it. It reads
// the owner from the database and does not trust the caller.
func (d *Jobs) place(ctx context.Context, w Caller, j *cronstore.Job) (zoneOf chat.UserID, err error) {
	owner, err := d.Cron.JobOwner(ctx, j.Owner)
	if err != nil {
		return 0, err
	}
	if owner.Consumer {
		return owner.Admin, consumers(owner, j)
	}
	if of, _, ok := service.Of(j.Target); ok && j.Service == "" {
		j.Service = of
	}
	if j.Service != "" {
		return w.User, services(owner, j)
	}
	return w.User, nil
}

// consumers restricts the job of a consumer to the consumer's conversation.
func consumers(owner cronstore.Owner, j *cronstore.Job) error {
	p := &j.JobPlan
	switch {
	case owner.Service == "" || owner.Conversation == "" || owner.Admin == 0:
		return fault.Errorf(fault.Denied, "this conversation has no service any more")
	case !owner.May:
		return fault.Errorf(fault.Denied, "this service keeps no jobs")
	case p.Target != owner.Conversation:
		return fault.Errorf(fault.Denied, "a job of this conversation speaks in this conversation alone: leave out isolated")
	case p.Deliver != "":
		return fault.Errorf(fault.Denied, "a job of this conversation is answered in this conversation alone")
	case p.Model != "" || p.Think != "":
		return fault.Errorf(fault.Denied, "a job of this conversation is answered as everything else in it: leave out model and think")
	case p.Missed == string(schedule.MissedAll):
		return fault.Errorf(fault.Denied, "missed is once or skip here")
	}
	j.Service, j.Consumer, j.Most = owner.Service, true, ConsumerJobs
	return nil
}

// services restricts the job of an administrator to its service.
func services(owner cronstore.Owner, j *cronstore.Job) error {
	p := &j.JobPlan
	of, _, told := service.Of(p.Target)
	switch {
	case !owner.Administrator:
		return fault.Errorf(fault.NotFound, "there is no session %q", p.Target)
	case p.Target != "" && (!told || of != j.Service):
		return fault.Errorf(fault.Invalid, "the target of a job of %s is one of its conversations, or left out for all of them", j.Service)
	case p.Deliver != "":
		return fault.Errorf(fault.Invalid, "a job of a service is answered in its conversations: leave out deliver")
	case p.Model != "":
		return fault.Errorf(fault.Invalid, "a job of a service is answered by the model of the service: leave out model")
	}
	return nil
}

// paced refuses times of a consumer's job that come too soon or too often.
func paced(j *cronstore.Job, now time.Time) error {
	tooOften := fault.Errorf(fault.Invalid, "a job of this conversation runs at least %d minutes from now, and not more often than every %d minutes",
		int(ConsumerEvery/time.Minute), int(ConsumerEvery/time.Minute))
	if j.Spec.Kind == schedule.At && j.Next.Sub(now) < ConsumerEvery-time.Second { // "in 5m" is cut to a second
		return tooOften
	}
	table, err := schedule.New(j.Spec)
	if err != nil {
		return err
	}
	var before time.Time
	for _, at := range table.Preview(now, pacedTimes) {
		if !before.IsZero() && at.Sub(before) < ConsumerEvery {
			return tooOften
		}
		before = at
	}
	return nil
}
