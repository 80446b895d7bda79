package onebot

import (
	"time"

	exponential "github.com/cenkalti/backoff/v5"
)

// longLived is how long a connection must have lived for the pauses to begin anew.
const longLived = 30 * time.Second

// backoff is the pauses before connecting again: a second, doubled up to a minute.
type backoff struct {
	pauses *exponential.ExponentialBackOff
}

func newBackoff() backoff {
	return backoff{&exponential.ExponentialBackOff{InitialInterval: time.Second, MaxInterval: time.Minute, Multiplier: 2}}
}

// next returns the pause after a connection that lived so long.
func (b backoff) next(lived time.Duration) time.Duration {
	if lived >= longLived {
		b.pauses.Reset()
	}
	return b.pauses.NextBackOff()
}
