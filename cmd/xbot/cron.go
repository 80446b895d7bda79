package main

import (
	"context"
	"time"

	"xbot/activities"
	"xbot/ingress"
	"xbot/internal/chat"
	"xbot/internal/config"
	"xbot/internal/cron"
)

// openDesk lets the desk of jobs tell workflows, for both halves of the server.
func (p *parts) openDesk(t config.Temporal) {
	if p.jobs.Wakes == nil {
		p.jobs.Wakes, p.jobs.Model = cronWakes{p, t}, words{p.models}.Resolve
	}
}

// zone is the timezone of jobs that name none.
func (p *parts) zone(context.Context) (string, error) { return cron.ServerZone(), nil }

// timekeeper acts on the times of jobs.
func (p *parts) timekeeper(t config.Temporal) *activities.Timekeeper {
	p.openDesk(t)
	return &activities.Timekeeper{
		Jobs: p.store, Words: t.Summaries == "on",
		Beat: func(context.Context, chat.JobID) (*chat.Beat, error) { return nil, nil },
		Wake: func(ctx context.Context, key chat.SessionKey, words string) error {
			return p.waker(t).Wake(ctx, ingress.Row{Session: key, Channel: "cron", Text: words})
		},
	}
}

// cronWakes tells workflows of jobs and of conversations.
type cronWakes struct {
	p *parts
	t config.Temporal
}

// cronWake bounds a wake: what it is about is committed.
const cronWake = 3 * time.Second

// Job tells the workflow of a job.
func (w cronWakes) Job(ctx context.Context, id chat.JobID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cronWake)
	defer cancel()
	if err := w.p.starter(w.t).StartCron(ctx, id); err != nil {
		w.p.log.Warn("a job is told of its change when its time comes", "job", id, "error", err)
	}
}

// Told tells the turn of a conversation.
func (w cronWakes) Told(ctx context.Context, key chat.SessionKey, words string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cronWake)
	defer cancel()
	if err := w.p.waker(w.t).Wake(ctx, ingress.Row{Session: key, Channel: "cron", Text: words}); err != nil {
		w.p.log.Warn("a session that was told something is woken later", "session", key, "error", err)
	}
}
