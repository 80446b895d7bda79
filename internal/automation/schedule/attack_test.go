package schedule_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/schedule"
	"xbot/internal/fault"
)

func TestAttack_TimetablesThatAreRefused(t *testing.T) {
	t.Parallel()
	now := at(t, "2026-03-28T12:00:00Z")
	for name, text := range map[string]string{
		"a day that never comes":      "0 0 30 2 *",
		"a day that never comes, 31":  "0 0 31 2,4,6,9,11 *",
		"every nanosecond":            "@every 1ns",
		"every second":                "@every 1s",
		"six fields, every second":    "* * * * * *",
		"every nanosecond, in words":  "every 1ns",
		"every 0 minutes":             "every 0m",
		"every minute, backwards":     "every -1m",
		"an interval that overflows":  "every 9223372036854775807h",
		"days that overflow":          "every 9223372036854775807d",
		"weeks that overflow":         "every 15250284452471w",
		"an interval of 1 MB":         "every " + strings.Repeat("9", 1<<20) + "m",
		"in no time":                  "in 0s",
		"in a nanosecond":             "in 1ns",
		"the year 9999":               "at 9999-12-31 23:59",
		"the year 0":                  "at 0000-01-01 00:00",
		"the year 99999":              "at 99999-01-01 00:00",
		"a step of the largest":       "*/9223372036854775808 * * * *",
		"a step of nothing":           "*/0 * * * *",
		"a step backwards":            "*/-1 * * * *",
		"a range turned around":       "59-0 * * * *",
		"a range of all numbers":      "0-18446744073709551615 * * * *",
		"a timezone inside":           "TZ=UTC 0 0 * * *",
		"a timezone inside, cron's":   "CRON_TZ=../../etc/passwd 0 0 * * *",
		"a list of 1 MB":              strings.Repeat("1,", 1<<19) + "1 * * * *",
		"blanks of 1 MB":              strings.Repeat(" ", 1<<20),
		"fields of 1 MB":              strings.Repeat("* ", 1<<19),
		"a word of 1 MB":              "@" + strings.Repeat("a", 1<<20),
		"quotes of 1 MB":              strings.Repeat("`", 1<<20),
		"quotes in quotes":            strings.Repeat("`\"'", 10_000),
		"other digits":                "٠ ٩ * * *",
		"NUL":                         "0 9 * * \x00",
		"what is no UTF-8":            "\xff\xfe * * * *",
		"the text of an at, 1 MB":     "at " + strings.Repeat("2026-01-01 ", 100_000),
		"Sundays without end":         "0 0 * * " + strings.Repeat("7,", 1<<19) + "7",
		"a week that begins after it": "0 0 * * 9-7",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := schedule.Read(text, berlin, now)
			require.Equal(t, fault.Invalid, fault.KindOf(err), "%v", err)
			require.Less(t, len(err.Error()), 1000, "the sentence repeats what was written")
		})
	}
}

func TestAttack_ZonesThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"", "Local", "lOcAl", "../../etc/passwd", "/etc/localtime", "Europe/../UTC", "\x00", "UTC\x00", strings.Repeat("A", 1<<20), "Europe\\Berlin", ".", ".."} {
		_, err := schedule.Read("0 9 * * *", zone, at(t, "2026-03-28T12:00:00Z"))
		require.Equal(t, fault.Invalid, fault.KindOf(err), "%.40q: %v", zone, err)
		require.Less(t, len(err.Error()), 1000)
	}
}

// Times are strictly increasing across clock changes.
func TestAttack_TimesAlwaysGoForward(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"UTC", berlin, "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Cairo", "Pacific/Apia", "Asia/Beirut", "America/Havana", "Antarctica/Troll", "Africa/Monrovia"} {
		for _, text := range []string{"* * * * *", "*/59 23 * * *", "0 0 * * *", "59 23 31 12 *", "0 0 29 2 *", "0 0 29 2 0", "30 2 * * *", "0 0 1 1 *", "*/99999 * * * *", "0-59/7 */5 1-31/30 */11 *", "0 0 * * 6-7"} {
			for _, from := range []string{"2026-03-29T00:59:59Z", "2026-10-25T00:30:00Z", "2011-12-29T09:00:00Z", "2018-11-04T02:59:00Z", "2095-12-31T23:59:59Z"} {
				table, err := schedule.New(schedule.Spec{Kind: schedule.Expr, Expr: text, Zone: zone})
				require.NoError(t, err)
				last := at(t, from)
				for _, next := range table.Preview(last, 25) {
					require.True(t, next.After(last), "%s in %s: %s after %s", text, zone, next, last)
					last = next
				}
			}
		}
	}
}

func TestAttack_MissedTimesAreBounded(t *testing.T) {
	t.Parallel()
	begin := at(t, "2006-01-01T00:00:00Z")
	for name, spec := range map[string]schedule.Spec{
		"each minute of 20 years": {Kind: schedule.Expr, Expr: "* * * * *", Zone: "UTC"},
		"an interval of 20 years": {Kind: schedule.Every, Every: time.Minute, At: begin, Zone: "UTC"},
		"once, 20 years ago":      {Kind: schedule.At, At: begin, Zone: "UTC"},
		"each leap day":           {Kind: schedule.Expr, Expr: "0 0 29 2 *", Zone: berlin},
	} {
		for _, policy := range []schedule.Missed{schedule.MissedSkip, schedule.MissedOnce, schedule.MissedAll} {
			t.Run(name+", "+string(policy), func(t *testing.T) {
				t.Parallel()
				table, err := schedule.New(spec)
				require.NoError(t, err)
				due := table.Due(begin, at(t, "2026-01-01T00:00:00Z"), 0, policy, 30*24*time.Hour) // the oldest that a job may name
				require.LessOrEqual(t, len(due.Run), 100)
				require.LessOrEqual(t, due.Passed, 1000)
			})
		}
	}
}
