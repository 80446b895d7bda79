package sandbox

import (
	"context"
	"errors"
	"fmt"

	"xbot/internal/fault"
	"xbot/runner/wire"
)

// RunnerID names a runner on this server across all owners: unlike the name its owner gave it, it is unique. "local" is
// the server's own host.
type RunnerID string

// Link is a way to one runner: a socket in this process, or another process that holds it. It may be used by many
// goroutines. A link is not a connection: the runner behind it comes and goes.
type Link interface {
	// Ready waits until the runner is connected, or is found so, and returns its info. It fails only when ctx ends, with
	// the last reason why the runner could not be reached: ErrOffline, alone or wrapped.
	Ready(ctx context.Context) (wire.Info, error)
	// Call sends one request and waits for its end. Push, which may be nil, gets the parts that come ahead of it, one at a
	// time; while it runs the runner holds back more. When ctx ends the runner is notified that the caller has stopped waiting.
	// ErrOffline and ErrBroken show whether the request can have been sent; a *wire.Error is the runner's own answer.
	Call(ctx context.Context, req wire.Request, push func(wire.Push) error) (wire.Response, error)
}

// The reasons why a call did not get an answer.
var (
	// ErrOffline means that the runner was not connected: nothing was sent.
	ErrOffline = errors.New("the runner is not connected")
	// ErrBroken means that the connection ended before the answer: the request may or may not have been carried out.
	ErrBroken = errors.New("the connection to the runner broke")
)

// translate turns a failed call into an error with a kind.
func translate(name string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*wire.Error](err); ok {
		if kind := kindOf(e.Kind); kind != fault.Internal {
			return fault.Errorf(kind, "%s", e.Message)
		}
		return fault.Errorf(fault.Internal, "%w", &MisbehavedError{Runner: name, Said: e.Message})
	}
	if _, ok := errors.AsType[*fault.Error](err); ok || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fault.Errorf(fault.Unavailable, "runner %s cannot be reached: %w", name, err)
}

// kindOf admits the kinds we know; a newer runner may know more.
func kindOf(kind string) fault.Kind {
	switch k := fault.Kind(kind); k {
	case fault.Invalid, fault.Denied, fault.NotFound, fault.Conflict, fault.RateLimited, fault.TooLarge, fault.Unavailable:
		return k
	}
	return fault.Internal
}

// MisbehavedError means that a runner failed in an unknown way: it has a fault, or is no runner of xbot. The request
// may have been carried out or not.
type MisbehavedError struct {
	Runner string
	Said   string
}

// maxSaid bounds the quotation of a runner's words, in bytes.
const maxSaid = 200

// Error returns a sentence for the model and the user.
func (e *MisbehavedError) Error() string {
	if e.Runner == "" {
		return "the files of this conversation cannot be used: what keeps them has a fault"
	}
	return fmt.Sprintf("runner %s has a fault (it says: %q)", e.Runner, e.Said[:min(len(e.Said), maxSaid)])
}
