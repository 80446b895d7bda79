package apiclient

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"

	"xbot/internal/fault"
)

// The pace of attempts to reach a server: fast at first, because a server that is started again is back within
// seconds, and never slower than a person is patient.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = 3 * time.Second
)

// newBackoff returns pauses that double, each between half of it and all of it, so that many clients of one server do not
// come at once.
func newBackoff() *backoff.ExponentialBackOff {
	const spread = 1.0 / 3 // of the middle
	return &backoff.ExponentialBackOff{
		InitialInterval: firstPause * 3 / 4, MaxInterval: maxPause * 3 / 4, Multiplier: 2, RandomizationFactor: spread,
	}
}

// passes reports whether an error may go away by waiting.
func passes(err error) bool {
	return fault.Is(err, fault.Unavailable) || fault.Is(err, fault.RateLimited)
}

// sleep waits, or returns the cause of the context's end.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
