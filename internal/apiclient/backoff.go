package apiclient

import (
	"context"
	"math/rand/v2"
	"time"

	"xbot/internal/fault"
)

// The pace of attempts to reach a server: fast at first, because a server that is started again is back within
// seconds, and never slower than a person is patient.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = 3 * time.Second
)

// backoff doubles its pause with each call; the zero value is ready.
type backoff struct{ last time.Duration }

// next returns the pause before the next attempt, between half of it and all of it, so that many clients of one
// server do not come at once.
func (b *backoff) next() time.Duration {
	b.last = min(max(b.last*2, firstPause), maxPause)
	return b.last/2 + rand.N(b.last/2)
}

func (b *backoff) reset() { b.last = 0 }

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
