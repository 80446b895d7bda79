package schedule

import (
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// everyHour is the mark that the parser sets if a field is *. It is the same for all fields.
const everyHour = 1 << 63

var parser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// expression is a cron expression.
type expression struct{ spec *cron.SpecSchedule }

func parse(text string) (expression, error) {
	fields := strings.Fields(text)
	if len(fields) == 5 {
		fields[4] = weekdays(fields[4])
	}
	if strings.Contains(text, "=") || len(text) > maxExpr {
		return expression{}, i18n.Fault(fault.Invalid, i18n.CronNoExpr, shorten(text))
	}
	got, err := parser.Parse(strings.Join(fields, " "))
	if err != nil { // the parser's error has details, for programs and models
		return expression{}, fault.Errorf(fault.Invalid, "%w %w", i18n.Fault(fault.Invalid, i18n.CronNoExpr, shorten(text)), err)
	}
	spec, ok := got.(*cron.SpecSchedule)
	if !ok {
		return expression{}, i18n.Fault(fault.Invalid, i18n.CronNoExpr, shorten(text))
	}
	if len(fields) == 5 {
		spec.Dom, spec.Dow = spec.Dom|star(fields[2]), spec.Dow|star(fields[4])
	}
	return expression{spec}, nil
}

// star returns the mark of a field that begins with *. The parser sets none where a step follows. Days that are restricted without it count
// in addition to those of the week, by crontab(5); with it, a day must be among both.
func star(field string) uint64 {
	if strings.HasPrefix(field, "*") || strings.HasPrefix(field, "?") {
		return everyHour
	}
	return 0
}

// maxExpr limits an expression, in bytes.
const maxExpr = 200

// next returns the first time after an instant, the zero time if none comes within five years. An expression of every hour
// follows elapsed time. Any other one follows the local clock: a time that is skipped there happens when the
// clock is put forward, one that comes twice happens the first time.
func (e expression) next(after time.Time, zone *time.Location) time.Time {
	if e.spec.Hour&everyHour != 0 {
		return e.spec.Next(after.In(zone))
	}
	for wall := wallClock(after.In(zone)); ; {
		wall = e.spec.Next(wall)
		if wall.IsZero() {
			return wall
		}
		if at := fromWallClock(wall, zone); at.After(after) {
			return at
		}
	}
}

// wallClock returns the reading of the local clock as a time in UTC.
func wallClock(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// fromWallClock returns the first instant at which the local clock shows a time, or a later one.
func fromWallClock(wall time.Time, zone *time.Location) time.Time {
	at := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, zone)
	begin, end := at.ZoneBounds()
	switch shown := wallClock(at); {
	case shown.After(wall): // it was skipped
		return begin
	case shown.Before(wall):
		return end
	case begin.IsZero():
		return at
	}
	_, now := at.Zone()
	_, before := begin.Add(-time.Second).Zone()
	if earlier := at.Add(time.Duration(now-before) * time.Second); earlier.Before(begin) {
		return earlier
	}
	return at
}
