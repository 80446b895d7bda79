package modelcall

import (
	"math/rand/v2"
	"time"

	"xbot/internal/fault"
)

// Retry is the retry policy for provider failures.
type Retry struct {
	Attempts int           // calls in all; default 5
	Delay    time.Duration // before the second; doubles; default 1 s
	MaxDelay time.Duration // default 30 s
}

// Pause returns the pause after the n-th failure: exponential with jitter, longer by
// 2^min(n,4) s on 429, and never shorter than the provider asks.
func (r Retry) Pause(n int, cause error) time.Duration {
	d := min(r.Delay<<min(n-1, 10), r.MaxDelay)
	d += time.Duration(rand.Int64N(int64(d)/4 + 1)) // jitter needs no secrecy
	if fault.Is(cause, fault.RateLimited) {
		d += time.Second << min(n, 4)
	}
	return max(d, fault.After(cause))
}

// waitPauses times Retry.MaxDelay is the longest pause between two attempts while a turn waits for its provider: 5 minutes
// by default.
const waitPauses = 10

// LongPause returns the pause after the n-th failure while a turn waits, from 0: it doubles, with jitter, so that turns that have begun to
// wait at the same time come back one by one; never shorter than the provider asks.
func (r Retry) LongPause(n int, cause error) time.Duration {
	d := min(r.MaxDelay<<min(n, 10), waitPauses*r.MaxDelay)
	d += time.Duration(rand.Int64N(int64(d)/4 + 1)) // jitter needs no secrecy
	return max(d, fault.After(cause))
}
