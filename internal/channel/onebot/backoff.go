package onebot

import "time"

// pauses are those before connecting again, one after the other; the last one stays.
var pauses = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute}

// longLived is how long a connection must have lived for the pauses to begin anew.
const longLived = 30 * time.Second

// Connections that are cut off at once, again and again, mean that the other side does not want them now.
const (
	quickLived = 5 * time.Second // a connection that lived less was cut off
	quickMost  = 3               // so many of them in a row
	coolDown   = time.Minute     // are followed by this pause
)

// backoff counts connections that did not last.
type backoff struct {
	failures int
	quick    int // connections in a row that were made and cut off at once
}

// next returns the pause after a connection that lived so long; 0: none was made.
func (b *backoff) next(lived time.Duration) time.Duration {
	switch {
	case lived >= quickLived:
		b.quick = 0
	case lived > 0:
		b.quick++
	}
	if b.quick >= quickMost {
		b.quick = 0
		return coolDown
	}
	if lived >= longLived {
		b.failures = 0
	}
	pause := pauses[min(b.failures, len(pauses)-1)]
	b.failures++
	return pause
}
