package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/runner/wire"
)

// killTry bounds a try of a kill that is stored: its caller need not wait for a runner that is away.
const killTry = 3 * time.Second

// Kills stores the kills that runners have not received. The process that holds a runner's socket sends them when it
// connects (package ingress/runners).
type Kills interface {
	// NoteKill writes a kill down, before the first try.
	NoteKill(ctx context.Context, call chat.CallID, runner RunnerID) error
	// KillSent records that the runner took it.
	KillSent(ctx context.Context, call chat.CallID) error
}

// killNotes is a Link that stores kills.
type killNotes interface {
	noteKill(ctx context.Context, id chat.CallID) error
	killSent(ctx context.Context, id chat.CallID) error
}

// notedRoute is a route that stores kills.
type notedRoute struct{ route }

var _ killNotes = notedRoute{}

func (l notedRoute) noteKill(ctx context.Context, id chat.CallID) error {
	return l.router.kills.NoteKill(ctx, id, l.id)
}

func (l notedRoute) killSent(ctx context.Context, id chat.CallID) error {
	return l.router.kills.KillSent(ctx, id)
}

// KillPendingError means that a runner is out of reach, and that the kill is stored and reaches it when it returns.
type KillPendingError struct{ Runner string }

// Error returns a sentence for the model and the user.
func (e *KillPendingError) Error() string {
	return fmt.Sprintf("runner %s is out of reach: the kill is noted and carried out when it returns", e.Runner)
}

// Kill ends a command, or keeps it from ever starting. Where kills are kept it is noted first: then a runner that is out
// of reach is a KillPendingError of the kind Unavailable, after a short try, and the kill is not lost.
func (r *Runner) Kill(ctx context.Context, id chat.CallID) error {
	kill := wire.ExecID{ID: string(id)}
	notes, kept := r.link.(killNotes)
	if !kept {
		return r.send(ctx, wire.OpExecKill, kill)
	}
	noteErr := notes.noteKill(ctx, id) // without a note the kill may still get through
	try, cancel := context.WithTimeout(ctx, killTry)
	defer cancel()
	err := r.send(try, wire.OpExecKill, kill)
	switch {
	case err == nil:
		_ = notes.killSent(ctx, id) // otherwise it is sent a second time, which changes nothing
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case noteErr != nil:
		return errors.Join(err, noteErr)
	case fault.Is(err, fault.Unavailable), errors.Is(err, context.DeadlineExceeded):
		return fault.Errorf(fault.Unavailable, "%w", &KillPendingError{Runner: r.name})
	}
	return err
}
