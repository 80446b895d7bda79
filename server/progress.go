package server

import (
	"context"

	"xbot/activities/delivery"
	"xbot/internal/chat"
	policies "xbot/internal/policy"
)

// follower shows on platforms how turns go on, from the events that pages see.
func (c *core) follower() *delivery.Follower {
	return &delivery.Follower{
		Turns: c.store, Accounts: c.speakers(), Shows: c.showsProgress,
		Watch: func(key chat.SessionKey) delivery.Watch { return c.bus.Subscribe(key) },
	}
}

// showsProgress reports whether the policy wants people on a channel to see how a turn goes on. Where it cannot be read now it does.
func (c *core) showsProgress(ctx context.Context, channel, account string) bool {
	rules, err := c.policies.Get(ctx)
	return err != nil || rules.Channel(channel, account).Progress == policies.ProgressCard
}
