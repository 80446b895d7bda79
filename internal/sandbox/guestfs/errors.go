package guestfs

import (
	"context"
	"errors"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// translateError rewrites an error of the runner so that it names no path of the runner.
func translateError(err error, at string) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, sandbox.ErrSlow) {
		return err
	}
	if offline, ok := errors.AsType[*sandbox.OfflineError](err); ok {
		return fault.Errorf(fault.Unavailable, "%w", &sandbox.OfflineError{Waited: offline.Waited})
	}
	if _, ok := errors.AsType[*sandbox.MisbehavedError](err); ok {
		return fault.Errorf(fault.Internal, "%w", &sandbox.MisbehavedError{})
	}
	switch kind := fault.KindOf(err); kind {
	case fault.NotFound:
		return missing(at)
	case fault.Denied:
		return fault.Errorf(kind, "%s may not be used", at)
	case fault.Conflict:
		return fault.Errorf(kind, "%s exists already, or was changed meanwhile: look at it again", at)
	case fault.TooLarge:
		return fault.Errorf(kind, "%s is too large for this: take a part of it", at)
	case fault.Invalid:
		return fault.Errorf(kind, "%s cannot be used so: it may be a folder, or lie below a file", at)
	default:
		return fault.Errorf(fault.Unavailable, "%s cannot be reached now: try again", at)
	}
}
