package cron

import (
	"cmp"
	"context"
	"strings"
	"time"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/automation/schedule"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/policy"
	"xbot/internal/user/persona"
	"xbot/internal/user/users"
)

// defaultPrompt is the file in the data folder with the instructions for heartbeats.
const defaultPrompt = "HEARTBEAT.md"

// beatLead begins the message of a heartbeat.
const beatLead = "Look after what follows, and nothing else. If it needs nobody's attention, answer " + persona.HeartbeatOK + " alone.\n\n"

// Heartbeats maintains a job for each agent with a heartbeat in the policy, and returns the message of that job.
type Heartbeats struct {
	Jobs     *Jobs
	Policies Policies
	People   People
	Admin    string // name of the first administrator, the recipient where the policy names no users
	Home     string // data folder of the server
}

// People finds the users of heartbeats.
type People interface {
	// EnsureAdmin finds the first administrator.
	EnsureAdmin(ctx context.Context, name string) (users.User, error)
	// UserByName finds a user by name. It returns NotFound if there is no such user.
	UserByName(ctx context.Context, name string) (users.User, error)
}

// Follow brings the jobs in line with the policy. Any number of processes may run it. It returns NotFound if the policy names an unknown user; all
// others have their jobs.
func (h *Heartbeats) Follow(ctx context.Context) error {
	p, err := h.Policies.Get(ctx)
	if err != nil {
		return err
	}
	all, err := h.Jobs.Cron.Heartbeats(ctx)
	if err != nil {
		return err
	}
	have := map[beat]cronstore.Job{}
	for _, j := range all {
		have[beat{j.Heartbeat, j.Owner}] = j
	}
	var unknown error
	for _, a := range p.Agents.List {
		if a.Heartbeat.Every == "" {
			continue
		}
		people, err := h.people(ctx, a.Heartbeat)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		unknown = cmp.Or(unknown, err)
		for _, user := range people {
			of := beat{a.ID, user}
			if err := h.keep(ctx, of, a.Heartbeat, have[of]); err != nil {
				return err
			}
			delete(have, of)
		}
	}
	for _, j := range have {
		if err := h.Jobs.Cron.DeleteJob(ctx, j.ID); err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	return unknown
}

// beat identifies a heartbeat.
type beat struct {
	agent string
	user  chat.UserID
}

// people returns the users of a heartbeat. It returns NotFound if at least one of the names is unknown.
func (h *Heartbeats) people(ctx context.Context, set policy.Heartbeat) (found []chat.UserID, unknown error) {
	if len(set.People) == 0 {
		owner, err := h.People.EnsureAdmin(ctx, h.Admin)
		return []chat.UserID{owner.ID}, err
	}
	for _, name := range set.People {
		user, err := h.People.UserByName(ctx, name)
		switch {
		case fault.Is(err, fault.NotFound):
			unknown = err
		case err != nil:
			return nil, err
		default:
			found = append(found, user.ID)
		}
	}
	return found, unknown
}

// keep creates the job of a heartbeat, or updates it.
func (h *Heartbeats) keep(ctx context.Context, of beat, wanted policy.Heartbeat, old cronstore.Job) error {
	every, err := time.ParseDuration(wanted.Every)
	if err != nil {
		return err
	}
	deliver := chat.SessionKey("")
	if wanted.Target == cronstore.LastTalk {
		deliver = cronstore.LastTalk
	}
	if old.ID != "" && old.Spec.Every == every && old.Deliver == deliver {
		return nil
	}
	zone, err := h.Jobs.Zone(ctx, of.user)
	if err != nil {
		return err
	}
	set := func(j *cronstore.Job, now time.Time) error {
		j.Spec = schedule.Spec{Kind: schedule.Every, Every: every, At: now.Truncate(time.Second).Add(every), Zone: zone.Name}
		j.Deliver, j.State = deliver, chat.JobActive
		return next(j, now)
	}
	if old.ID != "" {
		_, err := h.Jobs.change(ctx, old.ID, set)
		return err
	}
	now, err := h.Jobs.Cron.Clock(ctx)
	if err != nil {
		return err
	}
	j := cronstore.Job{Agent: of.agent, Job: chat.Job{
		ID: newID(), Owner: of.user, Heartbeat: of.agent,
		JobPlan: chat.JobPlan{Name: of.agent, Message: defaultPrompt, Missed: string(schedule.MissedSkip), MaxAge: int(defaultMaxAge / time.Second)},
	}}
	if err := set(&j, now); err != nil {
		return err
	}
	_, _, err = h.Jobs.Cron.AddJob(ctx, j)
	if fault.Is(err, fault.Conflict) {
		return nil // another process has made it
	}
	return err
}

// Heartbeat returns the message of a heartbeat, or the reason to skip it; nil for other jobs. Without instructions no model is called.
func (h *Heartbeats) Heartbeat(ctx context.Context, id chat.JobID) (*chat.Heartbeat, error) {
	j, err := h.Jobs.Cron.Job(ctx, id)
	if err != nil || j.Heartbeat == "" {
		return nil, err
	}
	p, err := h.Policies.Get(ctx)
	if err != nil {
		return nil, err
	}
	now, err := h.Jobs.Cron.Clock(ctx)
	if err != nil {
		return nil, err
	}
	set := p.Agent(j.Heartbeat).Heartbeat
	own, err := h.Jobs.Zone(ctx, j.Owner)
	if err != nil {
		return nil, err
	}
	zone, err := schedule.Zone(own.Name)
	if err != nil {
		return nil, err
	}
	if !set.ActiveHours.Hold(now, zone) {
		return &chat.Heartbeat{Skip: "hours"}, nil
	}
	prompt := set.Prompt
	if prompt == "" {
		prompt = defaultPrompt
	}
	text, _, err := persona.Load(h.Home, prompt)
	if err != nil || strings.TrimSpace(text.Body) == "" {
		return &chat.Heartbeat{Skip: "empty"}, nil
	}
	return &chat.Heartbeat{Text: beatLead + text.Body}, nil
}
