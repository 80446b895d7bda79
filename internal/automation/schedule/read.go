package schedule

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// Forms lists the forms in which users and models write a timetable.
const Forms = "`0 9 * * 1-5`, `@daily`, `every 30m`, `at 2026-03-29 08:00` or `in 20m`"

// minute is the format of a single time.
const minute = "2006-01-02 15:04"

// Read parses the timetable that a user or a model writes. zone is that of expressions and of times that name none; in and
// every are counted from now.
func Read(text, zone string, now time.Time) (Spec, error) {
	spec, rest, err := ReadPrefix(text, zone, now)
	if err == nil && rest != "" {
		return Spec{}, notUnderstood(text)
	}
	return spec, err
}

// ReadPrefix parses the beginning of a text, which may be quoted, and returns the rest.
func ReadPrefix(text, zone string, now time.Time) (spec Spec, rest string, err error) {
	if inside, behind, ok := quoted(text); ok {
		spec, err = Read(inside, zone, now)
		return spec, behind, err
	}
	loc, err := Zone(zone)
	if err != nil {
		return Spec{}, "", err
	}
	word, after := cut(text)
	switch lower := strings.ToLower(word); {
	case lower == "every", lower == "@every":
		spec, rest, err = readEvery(after, now)
	case lower == "in":
		spec, rest, err = readIn(after, now)
	case lower == "at":
		spec, rest, err = readAt(after, loc, now)
	case strings.HasPrefix(word, "@"):
		spec, rest = Spec{Kind: Expr, Expr: lower}, after
	case len(word) >= 10 && word[4] == '-':
		spec, rest, err = readAt(text, loc, now)
	default:
		spec, rest, err = readFields(text)
	}
	if err != nil {
		return Spec{}, "", err
	}
	spec.Zone = zone
	if _, err = New(spec); err == nil && spec.Kind == Expr {
		err = strict(spec.Expr, rest)
	}
	return spec, rest, err
}

// quoted returns the quoted text at the beginning of a text, and the rest.
func quoted(text string) (inside, behind string, ok bool) {
	text = strings.TrimSpace(text)
	for _, marks := range []string{"``", `""`, "''", "“”"} {
		open, size := utf8.DecodeRuneInString(marks)
		if rest, found := strings.CutPrefix(text, string(open)); found {
			inside, behind, ok = strings.Cut(rest, marks[size:])
			return inside, strings.TrimSpace(behind), ok
		}
	}
	return "", "", false
}

// cut returns the first word and the rest.
func cut(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	i := strings.IndexFunc(text, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\u3000' })
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}

func notUnderstood(text string) error {
	return i18n.Fault(fault.Invalid, i18n.CronWhen, shorten(text), Forms)
}

func shorten(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}

func readFields(text string) (Spec, string, error) {
	fields, rest := []string{}, text
	for range 5 {
		var word string
		if word, rest = cut(rest); word == "" || !strings.ContainsAny(word[:1], "*?0123456789") && !isName(word) {
			return Spec{}, "", notUnderstood(text)
		}
		fields = append(fields, word)
	}
	return Spec{Kind: Expr, Expr: strings.Join(fields, " ")}, rest, nil
}

// isName reports whether a word begins with the name of a month or a day of the week.
func isName(word string) bool {
	const names = "jan feb mar apr may jun jul aug sep oct nov dec sun mon tue wed thu fri sat"
	return len(word) >= 3 && strings.Contains(names, strings.ToLower(word[:3]))
}

func readEvery(text string, now time.Time) (Spec, string, error) {
	d, rest, err := readDuration(text)
	return Spec{Kind: Every, Every: d, At: now.Truncate(time.Second).Add(d)}, rest, err
}

func readIn(text string, now time.Time) (Spec, string, error) {
	d, rest, err := readDuration(text)
	if err == nil && (d < time.Second || d > MaxEvery) {
		return Spec{}, "", i18n.Fault(fault.Invalid, i18n.CronDelay)
	}
	return Spec{Kind: At, At: now.Add(d).Truncate(time.Second)}, rest, err
}

// units are the words for parts of a duration, in addition to those of Go.
var units = map[string]string{
	"s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "m": "m", "min": "m", "mins": "m", "minute": "m", "minutes": "m",
	"h": "h", "hour": "h", "hours": "h", "d": "d", "day": "d", "days": "d", "w": "w", "week": "w", "weeks": "w",
}

// readDuration parses 30m, 1h30m, 2d, 90 minutes.
func readDuration(text string) (time.Duration, string, error) {
	word, rest := cut(text)
	if _, err := strconv.Atoi(word); err == nil {
		if unit, behind := cut(rest); units[strings.ToLower(unit)] != "" {
			word, rest = word+units[strings.ToLower(unit)], behind
		}
	}
	if n, ok := strings.CutSuffix(word, "w"); ok {
		return days(n, 7, text, rest)
	}
	if n, ok := strings.CutSuffix(word, "d"); ok {
		return days(n, 1, text, rest)
	}
	d, err := time.ParseDuration(word)
	if err != nil || d <= 0 {
		return 0, "", i18n.Fault(fault.Invalid, i18n.CronNoDuration, shorten(text))
	}
	return d, rest, nil
}

func days(n string, each int, text, rest string) (time.Duration, string, error) {
	count, err := strconv.Atoi(n)
	if err != nil || count <= 0 || count > 366 {
		return 0, "", i18n.Fault(fault.Invalid, i18n.CronNoDuration, shorten(text))
	}
	return time.Duration(count*each) * 24 * time.Hour, rest, nil
}

// readAt parses a time of RFC 3339, a date with a time of the day, and a time of the day, which is the next one.
func readAt(text string, zone *time.Location, now time.Time) (Spec, string, error) {
	first, rest := cut(text)
	second, behind := cut(rest)
	if at, err := time.Parse(time.RFC3339, first); err == nil {
		return single(at, rest, now)
	}
	for _, c := range []struct{ layout, text, rest string }{
		{"2006-01-02 15:04:05", first + " " + second, behind}, {minute, first + " " + second, behind},
		{"2006-01-02T15:04:05", first, rest}, {"2006-01-02T15:04", first, rest},
	} {
		if wall, err := time.Parse(c.layout, c.text); err == nil {
			return single(fromWallClock(wall, zone), c.rest, now)
		}
	}
	clock, err := time.Parse("15:04", first)
	if err != nil {
		return Spec{}, "", notUnderstood(text)
	}
	today := now.In(zone)
	at := fromWallClock(time.Date(today.Year(), today.Month(), today.Day(), clock.Hour(), clock.Minute(), 0, 0, time.UTC), zone)
	if !at.After(now) {
		at = fromWallClock(time.Date(today.Year(), today.Month(), today.Day()+1, clock.Hour(), clock.Minute(), 0, 0, time.UTC), zone)
	}
	return single(at, rest, now)
}

func single(at time.Time, rest string, now time.Time) (Spec, string, error) {
	if !at.After(now) {
		return Spec{}, "", i18n.Fault(fault.Invalid, i18n.CronPast, at.Format(minute))
	}
	if at.Sub(now) > 10*MaxEvery {
		return Spec{}, "", i18n.Fault(fault.Invalid, i18n.CronFar, at.Format(minute))
	}
	return Spec{Kind: At, At: at}, rest, nil
}

// String returns a timetable in a form that Read parses.
func (s Spec) String() string {
	switch s.Kind {
	case Expr:
		return s.Expr
	case Every:
		return "every " + duration(s.Every)
	}
	at := s.At
	if zone, err := Zone(s.Zone); err == nil {
		at = at.In(zone)
	}
	if at.Second() != 0 {
		return "at " + at.Format("2006-01-02 15:04:05")
	}
	return "at " + at.Format(minute)
}

func duration(d time.Duration) string {
	if d%(24*time.Hour) == 0 {
		return strconv.Itoa(int(d/(24*time.Hour))) + "d"
	}
	text := d.String()
	text = strings.TrimSuffix(text, "0s")
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	if text == "" || !strings.ContainsAny(text[len(text)-1:], "hm") {
		return d.String()
	}
	return text
}
