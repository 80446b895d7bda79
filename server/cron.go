package server

import (
	"context"
	"time"

	"xbot/activities/cronjob"
	"xbot/internal/chat"
	"xbot/internal/cron"
)

// zone is the timezone of a user's jobs that name none.
func (c *core) zone(ctx context.Context, user chat.UserID) (cron.Zone, error) {
	profile := func(ctx context.Context, user chat.UserID) (string, error) {
		said, err := c.store.Profile(ctx, user)
		return said.Timezone, err
	}
	return cron.Zones{Profile: profile, Policies: c.policies}.Of(ctx, user)
}

// cronJobs acts on the times of jobs.
func (c *core) cronJobs() *cronjob.CronJobs {
	return &cronjob.CronJobs{
		Jobs: c.store, Words: c.words, Copy: c.copy,
		Heartbeat: c.hearts().Heartbeat,
	}
}

// hearts keeps the heartbeats of agents.
func (c *core) hearts() *cron.Heartbeats {
	return &cron.Heartbeats{Jobs: c.jobs, Policies: c.policies, Home: c.home, Owner: func(ctx context.Context) (chat.UserID, error) {
		admin, err := c.store.EnsureAdmin(ctx, c.admin)
		return admin.ID, err
	}, Person: func(ctx context.Context, name string) (chat.UserID, error) {
		user, err := c.store.UserByName(ctx, name)
		return user.ID, err
	}}
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
