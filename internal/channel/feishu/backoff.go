package feishu

import (
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	firstPause = time.Second
	maxPause   = time.Minute
	// steady is how long a connection must have lasted for the next pause to be short again.
	steady = time.Minute
)

// pauses returns the pauses between attempts. They double up to maxPause. Each is half of that to all of it, since many
// connections end at the same time.
func pauses(first time.Duration) *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{InitialInterval: first * 3 / 4, MaxInterval: maxPause * 3 / 4, Multiplier: 2, RandomizationFactor: 1. / 3}
}
