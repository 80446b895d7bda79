// Package schedule computes the times of jobs: by a cron expression, at a steady interval, or once. It reads no clock:
// callers pass the time. docs/guide/schedules.md describes its decisions about clock changes.
package schedule

import (
	"hash/fnv"
	"strings"
	"time"
	_ "time/tzdata" // the same timezones on every machine, also on one without any

	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// MinEvery is the shortest interval.
const MinEvery = time.Minute

// MaxEvery is the longest interval, and the latest single time from now.
const MaxEvery = 366 * 24 * time.Hour

// Kind is the kind of a timetable.
type Kind string

// The kinds.
const (
	Expr  Kind = "expr"  // a cron expression
	Every Kind = "every" // a steady interval
	At    Kind = "at"    // once
)

// Spec is a timetable as it is stored.
type Spec struct {
	Kind Kind
	Expr string // five fields or a descriptor such as @daily
	// Every is the interval. At is the single time; of an interval, the instant that its times are counted from.
	Every time.Duration
	At    time.Time
	Zone  string // IANA name; expressions are read in it, and users see times in it
}

// Timetable is a parsed Spec.
type Timetable struct {
	spec Spec
	expr expression
	zone *time.Location
}

// New parses a spec. Invalid describes its mistake, for users and models.
func New(s Spec) (Timetable, error) {
	zone, err := Zone(s.Zone)
	if err != nil {
		return Timetable{}, err
	}
	t := Timetable{spec: s, zone: zone}
	switch s.Kind {
	case Expr:
		t.expr, err = parse(s.Expr)
		if err == nil && t.expr.next(time.Unix(0, 0), zone).IsZero() {
			err = i18n.Fault(fault.Invalid, i18n.CronNeverComes, s.Expr)
		}
		return t, err
	case Every:
		if s.Every < MinEvery || s.Every > MaxEvery {
			return t, i18n.Fault(fault.Invalid, i18n.CronInterval)
		}
		return t, nil
	case At:
		return t, nil
	}
	return t, fault.Errorf(fault.Invalid, "there is no kind of timetable %q", s.Kind)
}

// Zone finds a timezone by its IANA name. Local is none: it differs from machine to machine.
func Zone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || strings.EqualFold(name, "local") {
		return nil, i18n.Fault(fault.Invalid, i18n.CronNoZone, shorten(name))
	}
	return zone, nil
}

// Next returns the first time after an instant; ok is false if there is none.
func (t Timetable) Next(after time.Time) (next time.Time, ok bool) {
	switch t.spec.Kind {
	case Expr:
		next = t.expr.next(after, t.zone)
		return next, !next.IsZero()
	case Every:
		if after.Before(t.spec.At) {
			return t.spec.At, true
		}
		return after.Add(t.spec.Every - after.Sub(t.spec.At)%t.spec.Every), true
	}
	return t.spec.At, t.spec.At.After(after)
}

// Preview returns the next n times after an instant.
func (t Timetable) Preview(after time.Time, n int) (times []time.Time) {
	for len(times) < n {
		next, ok := t.Next(after)
		if !ok {
			break
		}
		times, after = append(times, next), next
	}
	return times
}

// Offset spreads jobs with the same time: it returns the part of the jitter, in whole seconds, that a name always gets.
func Offset(name string, jitter time.Duration) time.Duration {
	seconds := uint64(jitter / time.Second)
	if jitter <= 0 || seconds == 0 {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // it never fails
	return time.Duration(h.Sum64()%(seconds+1)) * time.Second
}
