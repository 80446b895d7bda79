package server

import (
	"context"
	"time"

	"xbot/activities/cronjob"
	"xbot/internal/automation/cron"
	"xbot/internal/host/logs"
)

// cronJobs acts on the times of jobs.
func (c *core) cronJobs() *cronjob.CronJobs {
	return &cronjob.CronJobs{Jobs: c.stores.Cron, Words: c.temporal.words, Copy: c.copy, Heartbeats: c.heartbeats()}
}

// heartbeats keeps the heartbeats of agents.
func (c *core) heartbeats() *cron.Heartbeats {
	return &cron.Heartbeats{Jobs: c.jobs, Policies: c.db.policies, People: c.stores.Users, Admin: c.admin, Home: c.proc.home}
}

// heartbeatsEvery is how soon a changed policy reaches the heartbeats.
const heartbeatsEvery = 5 * time.Second

// followHeartbeats keeps the heartbeats in line with the policy until ctx ends.
func (in *ingressPart) followHeartbeats(ctx context.Context) error {
	heartbeats, ticker, failures := in.core.heartbeats(), time.NewTicker(heartbeatsEvery), logs.Repeats{}
	defer ticker.Stop()
	for {
		err := heartbeats.Follow(ctx)
		switch {
		case ctx.Err() != nil:
		case err == nil:
			failures.Reset()
		case failures.Changed(err.Error()):
			in.core.proc.log.Warn("heartbeats do not follow the policy, trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
