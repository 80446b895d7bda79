package activities

import (
	"context"
	"errors"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"xbot/internal/fault"
)

// lastInternalAttempt is the attempt from which on a failure by our own bug ends an activity. Attempts that failed for another reason, such as an
// outage, count as well: Temporal gives their number, not their reasons.
const lastInternalAttempt = 3

// PanicType is the error type under which the SDK reports a panic of an activity. It is never retried: what panicked
// once panics again.
const PanicType = "PanicError"

// CrashedType is the error type of a call that was given up because worker processes crashed in it. It is never retried.
const CrashedType = "WorkerCrashed"

// Failure translates an error of the domain for Temporal. The type of the result is the fault kind; workflows switch
// on it and never on text.
func Failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if Stopped(ctx) {
		return temporal.NewCanceledError()
	}
	kind := fault.KindOf(err)
	options := temporal.ApplicationErrorOptions{Cause: nil}
	switch kind {
	case fault.Invalid, fault.Denied, fault.NotFound, fault.Conflict, fault.TooLarge:
		options.NonRetryable = true
	case fault.RateLimited, fault.Unavailable:
		options.NextRetryDelay = fault.After(err)
	case fault.Internal:
		// The client may then report the end of the context as the cause (net/http does so), such as that Temporal did not answer a heartbeat. That
		// is not our bug: a dependency of the attempt did not answer in time.
		if ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			kind = fault.Unavailable
			break
		}
		options.NonRetryable = activity.GetInfo(ctx).Attempt >= lastInternalAttempt
	}
	return temporal.NewApplicationErrorWithOptions(err.Error(), string(kind), options)
}

// Stopped reports whether the workflow cancelled the activity. Any other end of its context (the worker shuts down,
// Temporal is away, the run was closed) means that the work is to be left alone, for another attempt to find.
func Stopped(ctx context.Context) bool {
	return ctx.Err() != nil && temporal.IsCanceledError(context.Cause(ctx))
}
