package onebot

import "time"

// pauses are those before connecting again, one after the other; the last one stays.
var pauses = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute}

// longLived is how long a connection must have lived for the pauses to begin anew.
const longLived = 30 * time.Second

// backoff counts connections that did not last.
type backoff struct{ failures int }

// next returns the pause after a connection that lived so long.
func (b *backoff) next(lived time.Duration) time.Duration {
	if lived >= longLived {
		b.failures = 0
	}
	pause := pauses[min(b.failures, len(pauses)-1)]
	b.failures++
	return pause
}
