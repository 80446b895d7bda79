package server

import (
	"context"

	"xbot/activities/delivery"
	"xbot/internal/chat"
	policies "xbot/internal/policy"
)

// follower shows on platforms how turns go on, from the events that pages see.
func (p *parts) follower() *delivery.Follower {
	return &delivery.Follower{
		Courses: p.store, Accounts: p.speakers(), Shows: p.showsProgress,
		Watch: func(key chat.SessionKey) delivery.Watch { return p.bus.Subscribe(key) },
	}
}

// showsProgress reports whether the policy wants people on a channel to see how a turn goes on. Where it cannot be read now it does.
func (p *parts) showsProgress(ctx context.Context, channel, account string) bool {
	rules, err := p.policies.Get(ctx)
	return err != nil || rules.Channel(channel, account).Progress == policies.ProgressCard
}
