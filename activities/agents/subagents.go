// Package agents holds the activities of subagents and group chats.
package agents

import (
	"context"

	"xbot/activities"
	"xbot/internal/chat"
)

// SubagentStore keeps subagents.
type SubagentStore interface {
	// UnloadSubagent unloads a subagent, and reports whether it had nothing to do.
	UnloadSubagent(ctx context.Context, key chat.SessionKey, wake bool) (bool, error)
	// SubagentUnloaded reports whether a subagent was unloaded, or is gone.
	SubagentUnloaded(ctx context.Context, key chat.SessionKey) (bool, error)
}

// Subagents unloads subagents that are idle. Its activities run as local activities.
type Subagents struct{ Store SubagentStore }

// UnloadInput names a subagent that has nothing to do.
type UnloadInput struct {
	Session chat.SessionKey `json:"session"`
	// Idle is true if it has had nothing to do for so long that it is to be unloaded.
	Idle bool `json:"late,omitempty"`
}

// UnloadOutput reports whether the workflow of the subagent ends.
type UnloadOutput struct {
	Unloaded bool `json:"unloaded,omitempty"`
}

// Unload unloads a subagent that has been idle for long, and reports whether it is unloaded. One that has work is not unloaded.
func (s *Subagents) Unload(ctx context.Context, in UnloadInput) (UnloadOutput, error) {
	var out UnloadOutput
	var err error
	if in.Idle {
		out.Unloaded, err = s.Store.UnloadSubagent(ctx, in.Session, false)
	} else {
		out.Unloaded, err = s.Store.SubagentUnloaded(ctx, in.Session)
	}
	return out, activities.Failure(ctx, err)
}
