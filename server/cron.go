package server

import (
	"context"
	"time"

	"xbot/activities/cronjob"
	"xbot/internal/cron"
)

// cronJobs acts on the times of jobs.
func (c *core) cronJobs() *cronjob.CronJobs {
	return &cronjob.CronJobs{Jobs: c.store, Words: c.words, Copy: c.copy, Heartbeats: c.hearts()}
}

// hearts keeps the heartbeats of agents.
func (c *core) hearts() *cron.Heartbeats {
	return &cron.Heartbeats{Jobs: c.jobs, Policies: c.policies, People: c.store, Admin: c.admin, Home: c.home}
}

// heartsEvery is how soon a changed policy reaches the heartbeats.
const heartsEvery = 5 * time.Second

// followHearts keeps the heartbeats as the policy says until ctx ends.
func (in *ingressPart) followHearts(ctx context.Context) error {
	hearts, ticker, said := in.hearts(), time.NewTicker(heartsEvery), ""
	defer ticker.Stop()
	for {
		err := hearts.Follow(ctx)
		switch {
		case ctx.Err() != nil:
		case err == nil:
			said = ""
		case err.Error() != said: // what does not change is said once
			said = err.Error()
			in.log.Warn("heartbeats do not follow the policy, trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
