package activitiestest

import (
	"context"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Unreachable is a sandbox that cannot be reached.
type Unreachable struct{ *Fixture }

// Box returns a sandbox that does not answer.
func (a Unreachable) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) {
	return offline{a.Sandbox}, nil
}

type offline struct{ sandbox.Sandbox }

func (offline) Exec(context.Context, sandbox.ExecRequest) (sandbox.ExecResult, error) {
	return sandbox.ExecResult{}, fault.Errorf(fault.Unavailable, "%w", &sandbox.OfflineError{Runner: "local", Waited: 5 * time.Second})
}

func (offline) Kill(context.Context, chat.CallID) error {
	return fault.Errorf(fault.Unavailable, "%w", &sandbox.KillPendingError{Runner: "local"})
}
