package modelcall

import (
	"context"

	"xbot/internal/chat"
	"xbot/internal/turn/agentprofile"
)

// Profiles returns the profile of the agent in a session.
type Profiles interface {
	Of(ctx context.Context, key chat.SessionKey) (agentprofile.Profile, error)
}

// ProfileOf returns who answers in a session. If who is nil it is a profile without restrictions, whose answers are
// delivered.
func ProfileOf(ctx context.Context, who Profiles, key chat.SessionKey) (agentprofile.Profile, error) {
	if who == nil {
		return agentprofile.Profile{Deliver: true}, nil
	}
	return who.Of(ctx, key)
}
