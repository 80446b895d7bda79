package schedule_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/automation/schedule"
	"xbot/internal/fault"
)

const (
	berlin   = "Europe/Berlin"
	newYork  = "America/New_York"
	shanghai = "Asia/Shanghai"
)

func at(t require.TestingT, text string) time.Time {
	got, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return got
}

func expr(t require.TestingT, text, zone string) schedule.Timetable {
	got, err := schedule.New(schedule.Spec{Kind: schedule.Expr, Expr: text, Zone: zone})
	require.NoError(t, err)
	return got
}

func times(t require.TestingT, text, zone, after string, n int) (out []string) {
	there, err := schedule.Zone(zone)
	require.NoError(t, err)
	for _, next := range expr(t, text, zone).Preview(at(t, after), n) {
		out = append(out, next.In(there).Format("01-02 15:04 MST"))
	}
	return out
}

func TestExpr_WhereClocksChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		expr, zone, after string
		want              []string
	}{
		"a time that the clock skips happens when it is put forward": {
			"30 2 * * *", berlin, "2026-03-28T00:00:00Z", []string{"03-28 02:30 CET", "03-29 03:00 CEST", "03-30 02:30 CEST"},
		},
		"a time that comes twice happens the first time": {
			"30 2 * * *", berlin, "2026-10-24T00:00:00Z", []string{"10-24 02:30 CEST", "10-25 02:30 CEST", "10-26 02:30 CET"},
		},
		"the same in New York in spring": {
			"30 2 * * *", newYork, "2026-03-07T12:00:00Z", []string{"03-08 03:00 EDT", "03-09 02:30 EDT"},
		},
		"and in autumn": {
			"30 1 * * *", newYork, "2026-10-31T12:00:00Z", []string{"11-01 01:30 EDT", "11-02 01:30 EST"},
		},
		"Shanghai's clocks do not change": {
			"30 2 * * *", shanghai, "2026-03-28T12:00:00Z", []string{"03-29 02:30 CST", "03-30 02:30 CST"},
		},
		"what happens every hour goes by the time that passes, in spring": {
			"30 * * * *", berlin, "2026-03-29T00:00:00Z", []string{"03-29 01:30 CET", "03-29 03:30 CEST"},
		},
		"in autumn the hour comes twice": {
			"30 * * * *", berlin, "2026-10-24T23:45:00Z", []string{"10-25 02:30 CEST", "10-25 02:30 CET", "10-25 03:30 CET"},
		},
		"two times that are skipped are one": {
			"0,30 2 * * *", berlin, "2026-03-28T22:00:00Z", []string{"03-29 03:00 CEST", "03-30 02:00 CEST", "03-30 02:30 CEST"},
		},
		"midnight is skipped, and the day is not": { // https://github.com/spring-projects/spring-framework/pull/36865
			"0 */2 * * *", "Africa/Cairo", "2026-04-23T19:00:00Z", []string{"04-23 22:00 EET", "04-24 01:00 EEST", "04-24 02:00 EEST"},
		},
		"a day of each month begins with its first hour": { // https://github.com/Crontap/crontap/issues/2
			"30 * 1 * *", berlin, "2026-03-31T20:00:00Z", []string{"04-01 00:30 CEST", "04-01 01:30 CEST"},
		},
		"nine in the morning stays nine in the morning": {
			"0 9 * * *", berlin, "2026-03-28T00:00:00Z", []string{"03-28 09:00 CET", "03-29 09:00 CEST"},
		},
	} {
		require.Equal(t, c.want, times(t, c.expr, c.zone, c.after, len(c.want)), name)
	}
}

func TestExpr_FollowsTheRulesOfCron(t *testing.T) {
	t.Parallel()
	const monday = "2026-03-02T00:00:00Z"
	for text, want := range map[string][]string{
		"0 0 13 * 5":     {"03-06 00:00 UTC", "03-13 00:00 UTC", "03-20 00:00 UTC"}, // the thirteenth, or a Friday
		"0 0 13 * *":     {"03-13 00:00 UTC", "04-13 00:00 UTC"},
		"0 0 * * 7":      {"03-08 00:00 UTC", "03-15 00:00 UTC"},
		"0 0 * * 5-7":    {"03-06 00:00 UTC", "03-07 00:00 UTC", "03-08 00:00 UTC", "03-13 00:00 UTC"},
		"*/20 8-9 * * *": {"03-02 08:00 UTC", "03-02 08:20 UTC", "03-02 08:40 UTC", "03-02 09:00 UTC"},
		"0 0 29 feb *":   {"02-29 00:00 UTC"},
		"@weekly":        {"03-08 00:00 UTC"},
		"@monthly":       {"04-01 00:00 UTC"},
	} {
		require.Equal(t, want, times(t, text, "UTC", monday, len(want)), text)
	}
}

func TestNew_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, s := range []schedule.Spec{
		{Kind: schedule.Expr, Expr: "61 * * * *", Zone: "UTC"},
		{Kind: schedule.Expr, Expr: "* * * *", Zone: "UTC"},
		{Kind: schedule.Expr, Expr: "0 0 30 2 *", Zone: "UTC"}, // never
		{Kind: schedule.Expr, Expr: "TZ=", Zone: "UTC"},
		{Kind: schedule.Expr, Expr: "CRON_TZ=Asia/Tokyo 0 0 * * *", Zone: "UTC"},
		{Kind: schedule.Expr, Expr: "@every 5s", Zone: "UTC"},
		{Kind: schedule.Expr, Expr: "@daily", Zone: "Mars/Olympus"},
		{Kind: schedule.Expr, Expr: "@daily", Zone: "Local"},
		{Kind: schedule.Expr, Expr: "@daily"},
		{Kind: schedule.Every, Every: 59 * time.Second, Zone: "UTC"},
		{Kind: "never", Zone: "UTC"},
	} {
		_, err := schedule.New(s)
		require.Equal(t, fault.Invalid, fault.KindOf(err), "%+v: %v", s, err)
	}
}

func TestEvery_KeepsItsPhase(t *testing.T) {
	t.Parallel()
	first := at(t, "2026-03-28T23:10:07Z")
	e, err := schedule.New(schedule.Spec{Kind: schedule.Every, Every: 90 * time.Minute, At: first, Zone: berlin})
	require.NoError(t, err)
	next, ok := e.Next(first.Add(-24 * time.Hour))
	require.True(t, ok)
	require.Equal(t, first, next)
	next, ok = e.Next(first.Add(1000*90*time.Minute + 3*time.Second))
	require.True(t, ok)
	require.Equal(t, first.Add(1001*90*time.Minute), next, "neither lateness nor a change of clocks shifts it")
}

func TestNext_IsStrictlyAfterAndNeverTwice(t *testing.T) {
	t.Parallel()
	field := func(lo, hi int) *rapid.Generator[string] {
		n := rapid.IntRange(lo, hi)
		return rapid.OneOf(rapid.Just("*"), rapid.Map(n, strconv.Itoa), rapid.Custom(func(t *rapid.T) string {
			a, b := n.Draw(t, "a"), n.Draw(t, "b")
			return strconv.Itoa(min(a, b)) + "-" + strconv.Itoa(max(a, b)) + "/" + strconv.Itoa(rapid.IntRange(1, 9).Draw(t, "step"))
		}))
	}
	rapid.Check(t, func(t *rapid.T) {
		text := field(0, 59).Draw(t, "minute") + " " + field(0, 23).Draw(t, "hour") + " " + field(1, 28).Draw(t, "day") + " " +
			field(1, 12).Draw(t, "month") + " " + field(0, 6).Draw(t, "weekday")
		zone := rapid.SampledFrom([]string{berlin, newYork, shanghai, "UTC", "Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Apia", "Africa/Cairo"}).Draw(t, "zone")
		e := expr(t, text, zone)
		start := time.Unix(rapid.Int64Range(1262304000, 1893456000).Draw(t, "after"), 0) // 2010 to 2030
		seen := map[time.Time]bool{}
		last := start
		for _, next := range e.Preview(start, 30) {
			require.True(t, next.After(last), "%s is not after %s", next, last)
			require.False(t, seen[next.UTC()])
			if between := last.Add(next.Sub(last) / 2); between.After(last) {
				again, ok := e.Next(between)
				require.True(t, ok)
				require.True(t, again.Equal(next), "asked in between, it is the same time: %s, %s", again, next)
			}
			seen[next.UTC()], last = true, next
		}
	})
}

func TestOffset_IsAlwaysTheSameAndWithinTheJitter(t *testing.T) {
	t.Parallel()
	spread := map[time.Duration]bool{}
	for _, name := range []string{"job_1", "job_2", "job_3", "job_4"} {
		offset := schedule.Offset(name, 10*time.Minute)
		require.Equal(t, offset, schedule.Offset(name, 10*time.Minute))
		require.LessOrEqual(t, offset, 10*time.Minute)
		require.GreaterOrEqual(t, offset, time.Duration(0))
		spread[offset] = true
	}
	require.Greater(t, len(spread), 2)
	require.Zero(t, schedule.Offset("job_1", 0))
}
