package channel

import (
	"context"
	"errors"
	"time"

	"xbot/internal/fault"
)

// Patience is how long a receiver may fail at one event before it is passed over, because the events behind it wait.
const Patience = 10 * time.Minute

// Refused reports whether a receiver would refuse an event again, judging by its error.
func Refused(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.Denied, fault.NotFound, fault.Conflict:
		return true
	}
	return false
}

// Passing reports whether an error of a receiver comes from an outage that affects all events.
func Passing(err error) bool {
	return fault.Is(err, fault.Unavailable) || fault.Is(err, fault.RateLimited) || errors.Is(err, context.DeadlineExceeded)
}
