package feishu

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	firstPause = time.Second
	maxPause   = time.Minute
	// steady is how long a connection must have lasted for the next pause to be short again.
	steady = time.Minute
)

// backoff is the pauses between attempts: doubled each time, with jitter, since many lose their connection at once.
type backoff struct{ next, first time.Duration }

func newBackoff(first time.Duration) *backoff { return &backoff{next: first, first: first} }

func (b *backoff) reset() { b.next = b.first }

// wait pauses, at most until ctx ends.
func (b *backoff) wait(ctx context.Context) {
	d := b.next/2 + rand.N(b.next/2+1)
	b.next = min(b.next*2, maxPause)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
