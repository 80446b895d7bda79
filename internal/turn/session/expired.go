package session

import (
	"time"

	"xbot/internal/chat"
	"xbot/internal/turn/policy"
)

// Expired returns why a conversation whose last interaction of a user was at last has ended by now: chat.ResetDaily, chat.ResetIdle, or "" if
// it continues. If a day and idleness are both set, the reason is the earlier one. A zero last is a conversation without messages of a user: it
// continues.
func Expired(r policy.Reset, last, now time.Time) (reason string) {
	if last.IsZero() || now.Before(last) {
		return ""
	}
	var day, idle time.Time
	if r.Mode == policy.ResetDaily {
		day = dayEnd(r, last)
	}
	if r.Mode != policy.ResetNone && r.Mode != "" && r.IdleMinutes > 0 {
		idle = last.Add(time.Duration(r.IdleMinutes) * time.Minute)
	}
	dayOver, idleOver := !day.IsZero() && !now.Before(day), !idle.IsZero() && !now.Before(idle)
	switch {
	case dayOver && (!idleOver || !idle.Before(day)):
		return chat.ResetDaily
	case idleOver:
		return chat.ResetIdle
	}
	return ""
}

// dayEnd returns the first end of a day after an instant.
func dayEnd(r policy.Reset, after time.Time) time.Time {
	place := time.Local
	if r.Timezone != "" {
		if known, err := time.LoadLocation(r.Timezone); err == nil {
			place = known
		}
	}
	hour := 4
	if r.AtHour != nil {
		hour = *r.AtHour
	}
	year, month, day := after.In(place).Date()
	for {
		if end := atHour(year, month, day, hour, place); end.After(after) {
			return end
		}
		day++
	}
}

// atHour returns the instant at which local time first shows that hour of that day, or a later one if the hour is skipped by a change of the
// clocks.
func atHour(year int, month time.Month, day, hour int, place *time.Location) time.Time {
	t := time.Date(year, month, day, hour, 0, 0, 0, place)
	from, to := t.ZoneBounds()
	switch wall, want := wallOf(t), time.Date(year, month, day, hour, 0, 0, 0, time.UTC); {
	case wall.Before(want) && !to.IsZero(): // skipped: the clock jumps at the end of the zone's time
		return to
	case wall.After(want) && !from.IsZero(): // skipped: the clock jumped at the beginning of it
		return from
	case from.IsZero():
		return t
	}
	_, now := t.Zone()
	_, before := from.Add(-time.Nanosecond).Zone()
	earlier := t.Add(-time.Duration(before-now) * time.Second)
	if before > now && earlier.Before(from) { // the clock was put back over this hour: it is shown twice
		return earlier
	}
	return t
}

// wallOf returns the local clock time as if it were UTC.
func wallOf(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}
