package activities

import (
	"context"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
)

// Boxes finds the sandbox of a runner for a user; an empty name means the runner that their commands go to. The sandbox's
// Name is the runner's. Denied says why there is none. It does not wait for the runner.
type Boxes interface {
	Box(ctx context.Context, user chat.UserID, runner string) (sandbox.Sandbox, error)
}

// Walls knows within which walls the commands of conversations run, and on which runner alone; empty: on the one that they ask for.
type Walls interface {
	Walls(ctx context.Context, key chat.SessionKey) (walls chat.Walls, only string, err error)
}

// Rooms are the sandboxes of conversations: those of runners, behind the walls of each conversation.
type Rooms struct {
	Boxes

	Walls Walls // nil: no conversation has walls of its own
}

// Of is Box for work of a conversation that is yet to begin. Where the conversation has one runner alone, that is it, whichever was asked
// for: Denied where its user may not use it.
func (r Rooms) Of(ctx context.Context, key chat.SessionKey, user chat.UserID, runner string) (sandbox.Sandbox, error) {
	return r.of(ctx, key, user, runner, false)
}

// Begun is Of for work that has begun on a runner: it goes on there.
func (r Rooms) Begun(ctx context.Context, key chat.SessionKey, user chat.UserID, runner string) (sandbox.Sandbox, error) {
	return r.of(ctx, key, user, runner, true)
}

func (r Rooms) of(ctx context.Context, key chat.SessionKey, user chat.UserID, runner string, begun bool) (sandbox.Sandbox, error) {
	if r.Walls == nil {
		return r.Box(ctx, user, runner)
	}
	walls, only, err := r.Walls.Walls(ctx, key)
	if err != nil {
		return nil, err
	}
	if only == "" || begun {
		box, err := r.Box(ctx, user, runner)
		if err != nil {
			return nil, err
		}
		return sandbox.Narrow(box, walls), nil
	}
	box, err := r.Box(ctx, user, only)
	switch {
	case fault.Is(err, fault.Denied):
		return nil, i18n.Fault(fault.Denied, i18n.RunnerOfScene, only)
	case err != nil:
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
