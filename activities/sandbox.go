package activities

import (
	"context"
	"time"

	"xbot/internal/chat"
	"xbot/internal/sandbox"
)

// Boxes finds the sandbox of a runner for a user; an empty name means the runner that their commands go to. The sandbox's
// Name is the runner's. Denied says why there is none. It does not wait for the runner.
type Boxes interface {
	Box(ctx context.Context, user chat.UserID, runner string) (sandbox.Sandbox, error)
}

// Walls knows within which walls the commands of conversations run.
type Walls interface {
	Walls(ctx context.Context, key chat.SessionKey) (chat.Walls, error)
}

// Rooms are the sandboxes of conversations: those of runners, behind the walls of each conversation.
type Rooms struct {
	Boxes

	Walls Walls // nil: no conversation has walls of its own
}

// Of is Box for the work of a conversation.
func (r Rooms) Of(ctx context.Context, key chat.SessionKey, user chat.UserID, runner string) (sandbox.Sandbox, error) {
	box, err := r.Box(ctx, user, runner)
	if err != nil || r.Walls == nil {
		return box, err
	}
	walls, err := r.Walls.Walls(ctx, key)
	if err != nil {
		return nil, err
	}
	return sandbox.Narrow(box, walls), nil
}

// Release lets the runner forget a command. It runs in the background: the runner prunes by age what was never released.
func Release(ctx context.Context, box sandbox.Sandbox, id chat.CallID) {
	ctx, cancel := Settling(ctx)
	go func() {
		defer cancel()
		_ = box.Release(ctx, id) // pruned by age otherwise
	}()
}

// KillGrace is how long a stopped call may take to end by itself after its command was killed. It covers the runner's
// own grace between SIGTERM and SIGKILL.
const KillGrace = 4 * time.Second

// KillAndWait kills a command and waits for ended, both together for at most KillGrace.
func KillAndWait(ctx context.Context, box sandbox.Sandbox, id chat.CallID, ended <-chan struct{}) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), KillGrace)
	defer cancel()
	if box.Kill(ctx, id) != nil {
		return // out of reach: the command ends by its own timeout at the latest, and the result says interrupted
	}
	select {
	case <-ended:
	case <-ctx.Done():
	}
}
