package memory

import (
	"context"
	"time"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// account is the adapter.
type account struct {
	world  *World
	secret string
	has    map[Flaw]bool
	late   *channel.Message // of one who shuffles
	met    map[string]bool  // messages that it has received
}

// finding is an account of a platform without keys.
type finding struct{ *account }

var (
	_ channel.Editor   = (*account)(nil)
	_ channel.Deleter  = (*account)(nil)
	_ channel.Reactor  = (*account)(nil)
	_ channel.Typist   = (*account)(nil)
	_ channel.Asker    = (*account)(nil)
	_ channel.Streamer = (*account)(nil)
	_ channel.Fetcher  = (*account)(nil)
	_ channel.Finder   = finding{}
)

// Traits returns the limits of the platform.
func (a *account) Traits() channel.Traits {
	if a.has[Vague] {
		return channel.Traits{}
	}
	t := channel.Traits{MaxText: maxText, MaxFile: maxFile, Dialect: channel.Markdown}
	if a.has[Unbounded] {
		t.Replies, t.ReplyWindow = 3, time.Minute
	}
	if a.world.keys {
		t.Window = channel.Forever
	}
	return t
}

// Check returns the identity of the bot.
func (a *account) Check(context.Context) (channel.Identity, []channel.Problem, error) {
	if a.secret != "right" {
		return channel.Identity{}, nil, fault.Errorf(fault.Denied, "the secret is wrong")
	}
	if a.has[Nameless] {
		return channel.Identity{}, nil, nil
	}
	return channel.Identity{ID: "bot", Name: "Bot"}, nil, nil
}
