package cron

import (
	"cmp"
	"context"
	"path"
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

// Limits of a job.
const (
	MaxMessage = 20_000 // bytes
	maxName    = 80     // characters
	nameWords  = 40     // characters of a message that become a name
	maxMaxAge  = 30 * 24 * time.Hour
	maxJitter  = time.Hour
	maxRuns    = 1_000_000

	// defaultMaxAge is the default of how late a missed time may still run.
	defaultMaxAge = 24 * time.Hour
)

var thinks = []string{"", "off", "minimal", "low", "medium", "high", "xhigh"}

// check validates a plan and fills in its defaults. Conversations of the plan before were checked then, and are checked once more when
// the job runs.
func (d *Jobs) check(ctx context.Context, w Caller, j *cronstore.Job, before chat.JobPlan) (err error) {
	p := &j.JobPlan
	p.Message = strings.TrimSpace(p.Message)
	p.Name = strings.Join(strings.Fields(p.Name), " ")
	if p.Name == "" {
		p.Name = chat.FirstWords(p.Message, nameWords)
	}
	p.Missed = cmp.Or(p.Missed, string(schedule.MissedOnce))
	if p.MaxAge == 0 {
		p.MaxAge = int(defaultMaxAge / time.Second)
	}
	own, err := d.place(ctx, w, j)
	if err != nil {
		return err
	}
	if p.Zone, err = d.zone(ctx, own, p.Zone); err != nil {
		return err
	}
	switch {
	case p.Message == "":
		return i18n.Fault(fault.Invalid, i18n.CronEmpty)
	case len(p.Message) > MaxMessage:
		return i18n.Fault(fault.Invalid, i18n.CronLong, len(p.Message), MaxMessage)
	case len([]rune(p.Name)) > maxName:
		return i18n.Fault(fault.Invalid, i18n.CronLongName, maxName)
	case !slices.Contains([]string{"skip", "once", "all"}, p.Missed):
		return i18n.Fault(fault.Invalid, i18n.CronMissed)
	case p.MaxAge < 0 || time.Duration(p.MaxAge)*time.Second > maxMaxAge:
		return fault.Errorf(fault.Invalid, "a missed time is made up for within 30 days at most")
	case p.Jitter < 0 || time.Duration(p.Jitter)*time.Second > maxJitter:
		return fault.Errorf(fault.Invalid, "the jitter is an hour at most")
	case p.MaxRuns < 0 || p.MaxRuns > maxRuns:
		return fault.Errorf(fault.Invalid, "at most %d runs can be counted", maxRuns)
	case !slices.Contains(thinks, p.Think):
		return fault.Errorf(fault.Invalid, "think is off, minimal, low, medium, high or xhigh")
	case p.Model != "" && p.Target != "":
		return fault.Errorf(fault.Invalid, "a job in another conversation is answered by that one's model; choose it there with /model")
	}
	if err := permits(j); err != nil {
		return err
	}
	if err := d.checkModel(ctx, w, p); err != nil {
		return err
	}
	if _, _, consumer := service.Of(p.Deliver); consumer && p.Deliver != before.Deliver {
		return fault.Errorf(fault.Invalid, "deliver names the conversation of a consumer; a job of its service speaks there, with it as target")
	}
	for _, key := range []chat.SessionKey{p.Target, p.Deliver} {
		if key == before.Target || key == before.Deliver {
			continue
		}
		if err := d.checkSession(ctx, w, key); err != nil {
			return err
		}
	}
	return nil
}

// maxPermits limits the tools of a job, and maxPermit the length of a name.
const maxPermits, maxPermit = 50, 100

// permits validates the tools and rights to which a job is restricted.
func permits(j *cronstore.Job) error {
	p := j.Permits
	if p == nil || len(p.Tools) == 0 && !p.ReadOnly && !p.Offline {
		j.Permits = nil
		return nil
	}
	if j.Target != "" || j.Service != "" {
		return fault.Errorf(fault.Invalid, "permits narrow a job in a conversation of its own: leave out target")
	}
	if len(p.Tools) > maxPermits {
		return fault.Errorf(fault.Invalid, "a job names at most %d tools", maxPermits)
	}
	for _, name := range p.Tools {
		if _, err := path.Match(name, "x"); err != nil || strings.TrimSpace(name) == "" || len(name) > maxPermit {
			return fault.Errorf(fault.Invalid, "%q is no name of a tool, nor a pattern such as Web*", name)
		}
	}
	return nil
}

func (d *Jobs) checkModel(ctx context.Context, w Caller, p *chat.JobPlan) error {
	if p.Model == "" || d.Models == nil {
		return nil
	}
	id, ok := d.Models.Resolve(ctx, w.User, p.Model)
	if !ok {
		return fault.Errorf(fault.Invalid, "there is no model %q; /models lists them", p.Model)
	}
	p.Model = id
	return nil
}

// checkSession permits only conversations of the owner of a job.
func (d *Jobs) checkSession(ctx context.Context, w Caller, key chat.SessionKey) error {
	if key == "" {
		return nil
	}
	_, owner, err := d.Conversations.Session(ctx, key)
	if err == nil && owner != w.User && !w.Admin {
		err = fault.Errorf(fault.NotFound, "there is no session %q", key)
	}
	return err
}

// zone returns the named timezone, else that of the user.
func (d *Jobs) zone(ctx context.Context, user chat.UserID, zone string) (string, error) {
	if zone = strings.TrimSpace(zone); zone == "" {
		own, err := d.Zone(ctx, user)
		if err != nil {
			return "", err
		}
		zone = own.Name
	}
	_, err := schedule.Zone(zone)
	return zone, err
}

// timed parses the schedule of a job, and finds its next time.
func timed(j *cronstore.Job, now time.Time) (err error) {
	if j.Spec, err = schedule.Read(j.When, j.Zone, now); err != nil {
		return err
	}
	if err := next(j, now); err != nil || !j.Consumer {
		return err
	}
	return paced(j, now)
}

func next(j *cronstore.Job, now time.Time) error {
	table, err := schedule.New(j.Spec)
	if err != nil {
		return err
	}
	at, ok := table.Next(now)
	if !ok {
		return i18n.Fault(fault.Conflict, i18n.CronOver)
	}
	j.Next = &at
	return nil
}
