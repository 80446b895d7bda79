package intake

import "time"

// Clock is the time at which messages arrive: what a day or idleness has ended by, and when a burst is over. It decides
// nothing that is stored, for rows have the time of Postgres.
type Clock interface {
	Now() time.Time
	// After calls f once, when d is over, unless stop was called before; stop does not wait for it.
	After(d time.Duration, f func()) (stop func())
}

// systemClock is the clock of the machine.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) After(d time.Duration, f func()) (stop func()) {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

func (d *Dispatch) clock() Clock {
	if d.Clock == nil {
		return systemClock{}
	}
	return d.Clock
}
