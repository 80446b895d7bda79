package onebot

import (
	"time"

	exponential "github.com/cenkalti/backoff/v5"
)

// longLived is how long a connection must have lived to reset the pauses.
const longLived = 30 * time.Second

// Connections that are cut off at once, repeatedly, mean that the other side does not want them now.
const (
	quickLived = 5 * time.Second // a connection that lived less was cut off
	quickMost  = 3               // so many of them in a row
	coolDown   = time.Minute     // are followed by this pause
)

// backoff is the pauses before connecting again: a second, doubled up to a minute.
type backoff struct {
	pauses *exponential.ExponentialBackOff
	cool   time.Duration // the pause after quickMost of them
	quick  int           // connections in a row that were made and cut off at once
}

func newBackoff(cool time.Duration) *backoff {
	return &backoff{cool: cool, pauses: &exponential.ExponentialBackOff{InitialInterval: time.Second, MaxInterval: time.Minute, Multiplier: 2}}
}

// next returns the pause after a connection that lived so long, or 0 if none was made.
func (b *backoff) next(lived time.Duration) time.Duration {
	switch {
	case lived >= quickLived:
		b.quick = 0
	case lived > 0:
		b.quick++
	}
	if b.quick >= quickMost {
		b.quick = 0
		return b.cool
	}
	if lived >= longLived {
		b.pauses.Reset()
	}
	return b.pauses.NextBackOff()
}
