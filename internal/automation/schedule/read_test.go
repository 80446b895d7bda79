package schedule_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/schedule"
	"xbot/internal/fault"
)

func TestRead_UnderstandsWhatIsWritten(t *testing.T) {
	t.Parallel()
	now := at(t, "2026-03-28T12:00:00Z") // 13:00 in Berlin, the day before the clocks change
	for text, want := range map[string]string{
		"0 9 * * 1-5":               "0 9 * * 1-5",
		"0 9 * * mon":               "0 9 * * mon",
		"@Daily":                    "@daily",
		"every 30m":                 "every 30m",
		"Every 90 minutes":          "every 1h30m",
		"every 2 days":              "every 2d",
		"every 1w":                  "every 7d",
		"in 20m":                    "at 2026-03-28 13:20",
		"in 90s":                    "at 2026-03-28 13:01:30",
		"in 1d":                     "at 2026-03-29 14:00",
		"at 2026-03-29 08:00":       "at 2026-03-29 08:00",
		"at 2026-03-29T08:00":       "at 2026-03-29 08:00",
		"2026-03-29 08:00:30":       "at 2026-03-29 08:00:30",
		"at 2026-03-29T08:00:00Z":   "at 2026-03-29 10:00",
		"2026-03-29T08:00:00+08:00": "at 2026-03-29 01:00",
		"at 2026-03-29 02:30":       "at 2026-03-29 03:00",
		"at 15:00":                  "at 2026-03-28 15:00",
		"at 09:00":                  "at 2026-03-29 09:00",
	} {
		spec, err := schedule.Read(text, berlin, now)
		require.NoError(t, err, text)
		require.Equal(t, want, spec.String(), text)
	}
}

func TestRead_SaysWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	now := at(t, "2026-03-28T12:00:00Z")
	for _, text := range []string{
		"", "tomorrow", "every", "every 5s", "every -5m", "every 400 days", "in 2y", "at noon", "at 2020-01-01 00:00", "at 2099-01-01 00:00", "* * * *", "0 9 * * 1-5 and more", "99 9 * * *", "@reboot", "every 9999999h",
	} {
		_, err := schedule.Read(text, berlin, now)
		require.Equal(t, fault.Invalid, fault.KindOf(err), "%q: %v", text, err)
	}
}

func TestReadPrefix_LeavesTheMessage(t *testing.T) {
	t.Parallel()
	now := at(t, "2026-03-28T12:00:00Z")
	for text, want := range map[string]string{
		"0 9 * * 1-5 read the news":                    "read the news",
		"every 30 min look at the mail\nand the calls": "look at the mail\nand the calls",
		"in 20m tea":              "tea",
		"at 15:00 call Bob":       "call Bob",
		"at 2026-03-29 08:00 提醒我": "提醒我",
		"@hourly 3 times":         "3 times",

		"`0 9 * * 1-5` read the news":   "read the news",
		`"every 2h" "water" the plants`: `"water" the plants`,
		"“at 15:00” 打电话":                "打电话",
	} {
		_, rest, err := schedule.ReadPrefix(text, berlin, now)
		require.NoError(t, err, text)
		require.Equal(t, want, rest, text)
	}
}

func FuzzRead_WhatIsUnderstoodCanBeWrittenAndReadAgain(f *testing.F) {
	for _, text := range []string{"0 9 * * 1-5", "@daily", "every 30m", "in 1h", "at 15:00", "at 2026-03-29 02:30", "every 1h0m1s", "*/0 * * * *", "0 0 * * 7-7", "TZ=", ", , , , ,", "'@daily'", "“`“`"} {
		f.Add(text)
	}
	now := time.Date(2026, time.March, 28, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := schedule.Read(text, berlin, now)
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			return
		}
		table, err := schedule.New(spec)
		require.NoError(t, err)
		next, ok := table.Next(now)
		require.True(t, ok && next.After(now))
		again, err := schedule.Read(spec.String(), berlin, now)
		require.NoError(t, err, spec.String())
		require.Equal(t, spec.String(), again.String())
	})
}
