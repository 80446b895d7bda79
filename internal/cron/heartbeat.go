package cron

import (
	"context"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/policy"
	"xbot/internal/schedule"
	"xbot/internal/soul"
	"xbot/internal/store"
)

// defaultPrompt is the file in the data folder that says what is to be looked after.
const defaultPrompt = "HEARTBEAT.md"

// beatLead is what a heartbeat is told before it.
const beatLead = "Look after what follows, and nothing else. If it needs nobody's attention, answer " + soul.HeartbeatOK + " alone.\n\n"

// Hearts keeps a job for the heartbeat of each agent that has one in the policy, and says what it is told.
type Hearts struct {
	Desk     *Desk
	Policies interface {
		Get(ctx context.Context) (*policy.Policy, error)
	}
	// Owner is whose they are: the first administrator.
	Owner func(ctx context.Context) (chat.UserID, error)
	Home  string // data folder of the server
}

// Follow brings the jobs in line with the policy. Any number of processes may do it.
func (h *Hearts) Follow(ctx context.Context) error {
	p, err := h.Policies.Get(ctx)
	if err != nil {
		return err
	}
	all, err := h.Desk.Store.Heartbeats(ctx)
	if err != nil {
		return err
	}
	have := map[string]store.Job{}
	for _, j := range all {
		have[j.Heartbeat] = j
	}
	for _, a := range p.Agents.List {
		if a.Heartbeat.Every == "" {
			continue
		}
		if err := h.keep(ctx, a, have[a.ID]); err != nil {
			return err
		}
		delete(have, a.ID)
	}
	for _, j := range have {
		if err := h.Desk.Store.DeleteJob(ctx, j.ID); err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		h.Desk.Wakes.Job(ctx, j.ID)
	}
	return nil
}

// keep makes the job of an agent, or changes the one that there is.
func (h *Hearts) keep(ctx context.Context, a policy.Agent, old store.Job) error {
	every, err := time.ParseDuration(a.Heartbeat.Every)
	if err != nil {
		return err
	}
	deliver := chat.SessionKey("")
	if a.Heartbeat.Target == store.LastTalk {
		deliver = store.LastTalk
	}
	if old.ID != "" && old.Spec.Every == every && old.Deliver == deliver {
		return nil
	}
	set := func(j *store.Job, now time.Time) error {
		j.Spec = schedule.Spec{Kind: schedule.Every, Every: every, At: now.Truncate(time.Second).Add(every), Zone: ServerZone()}
		j.Deliver, j.State = deliver, chat.JobActive
		return next(j, now)
	}
	if old.ID != "" {
		_, err := h.Desk.change(ctx, old.ID, set)
		return err
	}
	owner, err := h.Owner(ctx)
	if err != nil {
		return err
	}
	now, err := h.Desk.Store.Clock(ctx)
	if err != nil {
		return err
	}
	j := store.Job{Agent: a.ID, Job: chat.Job{
		ID: newID(), Owner: owner, Heartbeat: a.ID,
		JobPlan: chat.JobPlan{Name: a.ID, Message: defaultPrompt, Missed: string(schedule.MissedSkip), MaxAge: int(defaultMaxAge / time.Second)},
	}}
	if err := set(&j, now); err != nil {
		return err
	}
	made, fresh, err := h.Desk.Store.AddJob(ctx, j)
	if fresh && err == nil {
		h.Desk.Wakes.Job(ctx, made.ID)
	}
	if fault.Is(err, fault.Conflict) {
		return nil // another process has made it
	}
	return err
}

// Beat says what a heartbeat is told now, or why it is not; nil for a job that is none. With nothing to look after no model is asked.
func (h *Hearts) Beat(ctx context.Context, id chat.JobID) (*chat.Beat, error) {
	j, err := h.Desk.Store.Job(ctx, id)
	if err != nil || j.Heartbeat == "" {
		return nil, err
	}
	p, err := h.Policies.Get(ctx)
	if err != nil {
		return nil, err
	}
	now, err := h.Desk.Store.Clock(ctx)
	if err != nil {
		return nil, err
	}
	set := p.Agent(j.Heartbeat).Heartbeat
	zone, err := schedule.Zone(ServerZone())
	if err != nil {
		return nil, err
	}
	if !set.ActiveHours.Hold(now, zone) {
		return &chat.Beat{Skip: "hours"}, nil
	}
	prompt := set.Prompt
	if prompt == "" {
		prompt = defaultPrompt
	}
	text, _, err := soul.Load(h.Home, prompt)
	if err != nil || strings.TrimSpace(text.Body) == "" {
		return &chat.Beat{Skip: "empty"}, nil
	}
	return &chat.Beat{Text: beatLead + text.Body}, nil
}
