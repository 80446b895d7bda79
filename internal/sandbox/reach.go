package sandbox

import (
	"context"
	"errors"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Finder finds the sandbox of a user's runner: Denied if they may not use it. It does not wait for the runner. An empty
// name means the one that the user's commands go to now.
type Finder interface {
	Box(ctx context.Context, user chat.UserID, runner string) (Sandbox, error)
}

// ReachTime is how long a request waits for a runner that is offline: a user is looking at the page in the meantime.
const ReachTime = 5 * time.Second

// Reach finds a sandbox and makes sure that its runner answers. One that is offline is Unavailable, with an
// OfflineError in the chain.
func Reach(ctx context.Context, boxes Finder, user chat.UserID, runner string) (Sandbox, error) {
	box, err := boxes.Box(ctx, user, runner)
	if err != nil {
		return nil, err
	}
	if err := Connected(ctx, box); err != nil {
		return nil, err
	}
	return box, nil
}

// Connected waits at most ReachTime for the runner of a sandbox. A runner that does not answer is an OfflineError; any other fault of its
// workspace is none, since the operation reports it.
func Connected(ctx context.Context, box Sandbox) error {
	soon, cancel := context.WithTimeout(ctx, ReachTime)
	defer cancel()
	_, err := box.Stat(soon, ".")
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case soon.Err() != nil:
		return fault.Errorf(fault.Unavailable, "%w", &OfflineError{Runner: box.Name(), Waited: ReachTime})
	}
	if _, offline := errors.AsType[*OfflineError](err); offline {
		return err
	}
	return nil
}
