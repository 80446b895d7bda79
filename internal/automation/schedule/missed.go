package schedule

import "time"

// Missed is the policy for times that passed while no process could act on them.
type Missed string

// The policies.
const (
	MissedSkip Missed = "skip" // nothing
	MissedOnce Missed = "once" // one run makes up for all of them
	MissedAll  Missed = "all"  // each is made up for, in their order
)

const (
	// Grace is the maximum delay of a time that does not count as missed.
	Grace = time.Minute
	// maxAll limits the runs that make up for missed times; older ones are skipped.
	maxAll = 100
	// maxCounted limits the times that are looked at one by one.
	maxCounted = 1000
)

// Due describes the runs that are due now.
type Due struct {
	Run    []time.Time // oldest first
	Passed int         // times that are not made up for, 1000 at most are counted
	Next   time.Time   // the first time in the future; zero: there is none
}

// Due decides about the times from next up to now, each of which begins offset later. Times that are older than maxAge
// are not made up for.
func (t Timetable) Due(next, now time.Time, offset time.Duration, policy Missed, maxAge time.Duration) Due {
	now = now.Add(-offset)
	var came []time.Time
	counted, ok := 0, true
	for ok && !next.After(now) {
		if recent := now.Add(-max(maxAge, Grace)); counted >= maxCounted && next.Before(recent) { // a long time without a process
			next, ok = t.Next(recent.Add(-1))
			continue
		}
		counted++
		if came = append(came, next); len(came) > maxAll {
			came = came[1:]
		}
		next, ok = t.Next(next)
	}
	run := choose(came, now, policy, maxAge)
	if !ok {
		next = time.Time{}
	}
	return Due{Run: run, Passed: min(counted, maxCounted+len(run)) - len(run), Next: next}
}

func choose(came []time.Time, now time.Time, policy Missed, maxAge time.Duration) []time.Time {
	if policy == MissedSkip {
		maxAge = 0
	}
	for len(came) > 0 && now.Sub(came[0]) > max(maxAge, Grace) {
		came = came[1:]
	}
	if policy != MissedAll && len(came) > 1 {
		came = came[len(came)-1:]
	}
	if len(came) == 0 {
		return nil
	}
	return came
}

// Late reports whether a run makes up for a time that was missed.
func Late(scheduled, now time.Time, offset time.Duration) bool {
	return now.Sub(scheduled) > offset+Grace
}
