package cron

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"xbot/internal/automation/schedule"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/service"
)

// Limits of one call.
const (
	MaxServices = 20
	MaxSessions = 50
)

// ServiceTask is a message of an administrator to services.
type ServiceTask struct {
	Message  string
	Name     string   // empty: the first words of the message
	Services []string // all conversations of each that exist when it runs
	Sessions []string // conversations, by their ids or the keys of their sessions
	Type     string   // once, cron or interval
	Schedule string   // a time, an expression or seconds; once: empty or now is at once
	Zone     string   // IANA; empty: the caller's
	RunNow   bool     // also runs at once
}

// Publish makes a job for each service and conversation that is named, for administrators. once is the key of the request: repeating it
// changes nothing. No job is made if any of them is unknown or withdrawn.
func (d *Jobs) Publish(ctx context.Context, w Caller, t ServiceTask, once string) ([]chat.Job, error) {
	if !w.Admin {
		return nil, fault.Errorf(fault.Denied, "tasks of services are for administrators")
	}
	now, err := d.Cron.Clock(ctx)
	if err != nil {
		return nil, err
	}
	when, atOnce, err := timing(t, now)
	if err != nil {
		return nil, err
	}
	told, err := d.audience(ctx, t)
	if err != nil {
		return nil, err
	}
	out := make([]chat.Job, 0, len(told))
	for _, one := range told {
		key := one.service + "/" + string(one.conversation)
		made, err := d.Add(ctx, w, chat.JobPlan{Name: t.Name, Message: t.Message, When: when, Zone: t.Zone, Target: one.conversation},
			From{Service: one.service, Once: once + "/" + key})
		if err != nil {
			return out, err
		}
		if t.RunNow && !atOnce {
			if _, err := d.Cron.RunJob(ctx, made.ID, "published"); err != nil {
				return out, err
			}
		}
		out = append(out, made)
	}
	return out, nil
}

// audienceOf is the audience of a task: a conversation of a service, or all of them.
type audienceOf struct {
	service      string
	conversation chat.SessionKey
}

func (d *Jobs) audience(ctx context.Context, t ServiceTask) ([]audienceOf, error) {
	switch {
	case len(t.Services)+len(t.Sessions) == 0:
		return nil, fault.Errorf(fault.Invalid, "name services in service_ids, or conversations in session_ids")
	case len(t.Services) > MaxServices || len(t.Sessions) > MaxSessions:
		return nil, fault.Errorf(fault.Invalid, "at most %d services and %d conversations can be named at once", MaxServices, MaxSessions)
	}
	var out []audienceOf
	for _, id := range t.Services {
		out = append(out, audienceOf{service: strings.TrimSpace(id)})
	}
	for _, word := range t.Sessions {
		key := chat.SessionKey(strings.TrimSpace(word))
		if service.IsConversation(string(key)) {
			known, err := d.Cron.ServedSession(ctx, string(key))
			if err != nil {
				return nil, err
			}
			key = known
		}
		of, id, ok := service.Of(key)
		if !ok {
			return nil, fault.Errorf(fault.Invalid, "%q is no conversation of a service", word)
		}
		if _, err := d.Cron.ServedSession(ctx, id); err != nil {
			return nil, err
		}
		out = append(out, audienceOf{of, key})
	}
	slices.SortFunc(out, func(a, b audienceOf) int {
		return strings.Compare(a.service+"/"+string(a.conversation), b.service+"/"+string(b.conversation))
	})
	out = slices.Compact(out)
	for _, one := range out {
		s, err := d.Services.Service(ctx, one.service)
		if err != nil {
			return nil, err
		}
		if !s.Open() {
			return nil, fault.Errorf(fault.Conflict, "service %s (%s) is withdrawn: publish it first", s.ID, s.Name)
		}
	}
	return out, nil
}

// timing returns the timetable of a task in the form of jobs.
func timing(t ServiceTask, now time.Time) (when string, atOnce bool, err error) {
	text, want := strings.TrimSpace(t.Schedule), schedule.At
	switch strings.ToLower(strings.TrimSpace(t.Type)) {
	case "once":
		if text == "" || strings.EqualFold(text, "now") {
			return "in 1s", true, nil
		}
		text = "at " + text
	case "cron":
		want = schedule.Expr
	case "interval":
		want = schedule.Every
		if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
			text = strconv.FormatUint(seconds, 10) + "s"
		}
		text = "every " + text
	default:
		return "", false, fault.Errorf(fault.Invalid, "schedule_type is once, cron or interval")
	}
	zone := t.Zone
	if zone == "" {
		zone = "UTC" // to check its form: the job has the caller's
	}
	spec, err := schedule.Read(text, zone, now)
	if err == nil && spec.Kind != want {
		err = fault.Errorf(fault.Invalid, "%q is no schedule of the type %s: write a time, an expression of five fields, or seconds", t.Schedule, t.Type)
	}
	return text, false, err
}
