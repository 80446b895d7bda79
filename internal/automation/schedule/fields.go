package schedule

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// fieldRange holds the values of a field of an expression.
type fieldRange struct{ first, last int }

var fieldRanges = []fieldRange{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 6}}

// fieldPart is one part of a field, between commas: a value or a range, and a step.
var fieldPart = regexp.MustCompile(`^(?:[*?]|(\w+)(?:-(\w+))?)(?:/(\d+))?$`)

// aField matches a word that is a field of an expression and no word of a text.
var aField = regexp.MustCompile(`(?i)^(?:[*?](?:/\d+)?|\d+-\d+(?:/\d+)?|(?:sun|mon|tue|wed|thu|fri|sat)(?:-(?:sun|mon|tue|wed|thu|fri|sat))?|\d*[LW]|\d+#\d)$`)

// strict refuses expressions of users that would happen at other times than they seem to: a step that is larger than its range, as
// in */90, which is one value; parts that the parser skips, as in *-5; and a sixth field, which moves all others. Stored expressions are
// not checked.
func strict(expr, rest string) error {
	fields := strings.Fields(expr)
	if len(fields) != len(fieldRanges) {
		return nil
	}
	if word, _ := cut(rest); aField.MatchString(word) {
		return i18n.Fault(fault.Invalid, i18n.CronSixFields, shorten(expr+" "+word))
	}
	for i, field := range fields {
		for part := range strings.SplitSeq(field, ",") {
			m := fieldPart.FindStringSubmatch(part)
			if m == nil {
				return i18n.Fault(fault.Invalid, i18n.CronNoExpr, shorten(expr))
			}
			if step, _ := strconv.Atoi(m[3]); step > 1 && step > span(fieldRanges[i], m[1], m[2]) {
				return i18n.Fault(fault.Invalid, i18n.CronLongStep, shorten(part))
			}
		}
	}
	return nil
}

// span returns the distance from the first value of a range to the last one. Names have the numbers of days or months, which the parser
// knows: here they have the span of the field.
func span(field fieldRange, from, to string) int {
	if n, err := strconv.Atoi(from); err == nil {
		field.first = n
	}
	if n, err := strconv.Atoi(to); err == nil {
		field.last = n
	}
	return field.last - field.first
}

var dayNames = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// weekdays writes the days of a week in the form of the parser, which knows Sunday as 0 only: 7 and ranges up to Sunday, or of names beyond it,
// become lists.
func weekdays(field string) string {
	parts := strings.Split(field, ",")
	for i, part := range parts {
		span, step, stepped := strings.Cut(part, "/")
		from, to, ranged := strings.Cut(span, "-")
		first, named := day(from)
		last, lastNamed := day(to)
		switch {
		case !ranged && first == 7 && !stepped:
			parts[i] = "0"
			continue
		case !ranged || first < 0 || last < 0:
			continue
		case last == 0 && (lastNamed || first == 0) && first > 0:
			last = 7
		case first > last && named && lastNamed:
			last += 7
		}
		by, err := strconv.Atoi(step)
		if !stepped {
			by, err = 1, nil
		}
		if err != nil || by < 1 || first > last || last < 7 {
			continue // as it is, for the parser
		}
		parts[i] = list(first, last, by)
	}
	return strings.Join(parts, ",")
}

// list writes the days from first to last, which may be in the week after.
func list(first, last, by int) string {
	var days []string
	for d := first; d <= last; d += by {
		if n := strconv.Itoa(d % 7); !slices.Contains(days, n) {
			days = append(days, n)
		}
	}
	return strings.Join(days, ",")
}

// day returns the number of a day of the week, from 0 to 7, or -1.
func day(text string) (n int, named bool) {
	if i := slices.Index(dayNames, strings.ToLower(text)); i >= 0 {
		return i, true
	}
	if len(text) == 1 && text[0] >= '0' && text[0] <= '7' {
		return int(text[0] - '0'), false
	}
	return -1, false
}
