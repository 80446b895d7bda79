package intake

import "time"

// Clock is the time at which messages arrive. It decides whether a conversation has expired, and when a burst is over. Rows
// have the time of Postgres instead.
type Clock interface {
	Now() time.Time
	// After calls f once, when d is over, unless the timer was stopped before.
	After(d time.Duration, f func()) Timer
}

// Timer is a call that waits for its time, as time.Timer is.
type Timer interface {
	// Stop does not wait for a call that has begun.
	Stop() bool
}

// systemClock is the clock of the machine.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) After(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }

func (d *Dispatcher) clock() Clock {
	if d.Clock == nil {
		return systemClock{}
	}
	return d.Clock
}
