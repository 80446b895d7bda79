package schedule_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/schedule"
	"xbot/internal/fault"
)

// Expressions as people write them, with the manuals that know them: crontab(5) of Vixie cron and cronie, robfig/cron, the Quartz scheduler,
// systemd and Jenkins. Each is read as its manual says, or refused.
func TestRead_TakesCronExpressionsAsTheyAreMeantOrRefusesThem(t *testing.T) {
	t.Parallel()
	const monday = "2026-03-02T00:00:00Z"
	for text, want := range map[string]string{ // the next times, as day and hour; empty: refused
		// crontab(5)
		"0 0 * * MON-SUN":     "03-03 00:00, 03-04 00:00, 03-05 00:00, 03-06 00:00, 03-07 00:00, 03-08 00:00, 03-09 00:00",
		"0 0 * * mon-sun":     "03-03 00:00, 03-04 00:00, 03-05 00:00, 03-06 00:00, 03-07 00:00, 03-08 00:00",
		"0 0 * * 0-7":         "03-03 00:00, 03-04 00:00, 03-05 00:00, 03-06 00:00, 03-07 00:00, 03-08 00:00",
		"0 0 * * 1-7":         "03-03 00:00, 03-04 00:00, 03-05 00:00, 03-06 00:00, 03-07 00:00, 03-08 00:00",
		"0 0 * * 1-7/2":       "03-04 00:00, 03-06 00:00, 03-08 00:00, 03-09 00:00",
		"0 0 * * SAT-SUN":     "03-07 00:00, 03-08 00:00, 03-14 00:00",
		"0 0 * * FRI-MON":     "03-06 00:00, 03-07 00:00, 03-08 00:00, 03-09 00:00, 03-13 00:00",
		"0 0 * * SUN-SAT":     "03-03 00:00, 03-04 00:00, 03-05 00:00",
		"0 0 * * 6,7":         "03-07 00:00, 03-08 00:00",
		"0 0 * * Sun":         "03-08 00:00, 03-15 00:00",
		"0 9 * JAN-MAR MON":   "03-02 09:00, 03-09 09:00",
		"0 22 * * 1-5":        "03-02 22:00, 03-03 22:00",
		"5 4 * * sun":         "03-08 04:05",
		"0 */2 * * *":         "03-02 02:00, 03-02 04:00",
		"0 0-23/2 * * *":      "03-02 02:00, 03-02 04:00",
		"23 0-20/2 * * *":     "03-02 00:23, 03-02 02:23",
		"*/30 * * * *":        "03-02 00:30, 03-02 01:00",
		"0 0,12 1 */2 *":      "05-01 00:00, 05-01 12:00",
		"0 0 1 1 *":           "01-01 00:00",
		"@hourly":             "03-02 01:00, 03-02 02:00",
		"@daily":              "03-03 00:00",
		"@midnight":           "03-03 00:00",
		"@weekly":             "03-08 00:00",
		"@monthly":            "04-01 00:00",
		"@yearly":             "01-01 00:00",
		"@annually":           "01-01 00:00",
		"@every 90m":          "03-02 01:30, 03-02 03:00",
		"every 90m":           "03-02 01:30, 03-02 03:00",
		"@reboot":             "",
		"*/90 * * * *":        "",
		"*/60 * * * *":        "",
		"0 */24 * * *":        "",
		"0 */36 * * *":        "",
		"0 0 */32 * *":        "",
		"0 0 1 */12 *":        "",
		"0 0 * * */7":         "",
		"10-20/15 * * * *":    "",
		"50/10 * * * *":       "",
		"*-5 * * * *":         "",
		"5-1 * * * *":         "",
		"0 0 * * 5-1":         "",
		"0 0 * * 8":           "",
		"60 * * * *":          "",
		"0 24 * * *":          "",
		"0 0 0 * *":           "",
		"0 0 * 13 *":          "",
		"0 0 31 2 *":          "",
		"0 0 30 FEB *":        "",
		"0 0 31 4,6,9,11 *":   "",
		"* * * *":             "",
		"H H * * *":           "", // Jenkins
		"0 0 * * MONDAY":      "",
		"0 0 * * Mon,Funday":  "",
		"*/5 * * * * *":       "", // seconds first, or a year
		"0 0 12 * * ?":        "", // Quartz
		"0 15 10 ? * MON-FRI": "",
		"0 0 L * *":           "",
		"0 0 LW * *":          "",
		"0 0 15W * *":         "",
		"0 0 * * 5L":          "",
		"0 0 * * FRI#3":       "",
		"0 0 * * 5#3":         "",
		"*-*-* 09:00:00":      "", // systemd
		"Mon *-*-* 09:00":     "",
		"0 0 ? * ?":           "03-03 00:00",
		"5/20 * * * *":        "03-02 00:05, 03-02 00:25, 03-02 00:45, 03-02 01:05",
		"0 0 29 2 *":          "02-29 00:00",
		"0 0 13 * FRI":        "03-06 00:00, 03-13 00:00",
		"0 0 * * 1-5,7":       "03-03 00:00, 03-04 00:00, 03-05 00:00, 03-06 00:00, 03-08 00:00",
		"*/15 9-17 * * 1-5":   "03-02 09:00, 03-02 09:15",
		"0 9 * * TUE,THU":     "03-03 09:00, 03-05 09:00",
		"0 9 1,15 * *":        "03-15 09:00, 04-01 09:00",
		"0 9 */2 * 1":         "03-09 09:00, 03-23 09:00", // https://github.com/stablyai/orca/pull/20202
		"0 9 1-7 * */2":       "03-03 09:00, 03-05 09:00, 03-07 09:00, 04-02 09:00",
		"0 9 1-31 * 1":        "03-02 09:00, 03-03 09:00, 03-04 09:00",
		"5/90 * * * *":        "",
	} {
		spec, err := schedule.Read(text, "UTC", at(t, monday))
		if want == "" {
			require.Equal(t, fault.Invalid, fault.KindOf(err), "%s: %v", text, spec)
			continue
		}
		require.NoError(t, err, text)
		table, err := schedule.New(spec)
		require.NoError(t, err, text)
		times := strings.Split(want, ", ")
		var got []string
		for _, next := range table.Preview(at(t, monday), len(times)) {
			got = append(got, next.UTC().Format("01-02 15:04"))
		}
		require.Equal(t, times, got, text)
	}
}

func TestReadPrefix_RefusesASixthFieldInFrontOfAText(t *testing.T) {
	t.Parallel()
	for text, refused := range map[string]bool{
		"0 0 12 * * ? report":           true,
		"0 15 10 ? * MON-FRI say hello": true,
		"0 9 * * * * say hello":         true,
		"0 9 * * 1-5 say hello":         false,
		"0 9 * * * 5 facts, please":     false,
		"0 9 * * * monitor the site":    false,
		"0 9 * * * Monday's plan":       false,
	} {
		_, rest, err := schedule.ReadPrefix(text, "UTC", at(t, "2026-03-02T00:00:00Z"))
		require.Equal(t, refused, err != nil, "%s: %v", text, err)
		require.True(t, refused || strings.HasSuffix(text, rest), rest)
	}
}
