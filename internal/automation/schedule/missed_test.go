package schedule_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/automation/schedule"
)

func TestDue_MakesUpForMissedTimesAsThePolicySays(t *testing.T) {
	t.Parallel()
	hourly := expr(t, "0 * * * *", "UTC")
	next, now := at(t, "2026-03-02T08:00:00Z"), at(t, "2026-03-02T12:00:05Z") // five times, the last one is on time
	for name, c := range map[string]struct {
		policy schedule.Missed
		now    time.Time
		age    time.Duration
		run    []string
		passed int
	}{
		"skip runs what is on time":              {schedule.MissedSkip, now, time.Hour, []string{"12:00"}, 4},
		"skip runs nothing that is late":         {schedule.MissedSkip, now.Add(5 * time.Minute), 24 * time.Hour, nil, 5},
		"once makes up for all with one run":     {schedule.MissedOnce, now.Add(5 * time.Minute), 24 * time.Hour, []string{"12:00"}, 4},
		"once leaves what is too old":            {schedule.MissedOnce, now.Add(30 * time.Minute), 10 * time.Minute, nil, 5},
		"all makes up for each":                  {schedule.MissedAll, now, 24 * time.Hour, []string{"08:00", "09:00", "10:00", "11:00", "12:00"}, 0},
		"all leaves what is too old":             {schedule.MissedAll, now, 2*time.Hour + time.Minute, []string{"10:00", "11:00", "12:00"}, 2},
		"before its time nothing is to be done":  {schedule.MissedAll, next.Add(-time.Second), time.Hour, nil, 0},
		"at its time it is":                      {schedule.MissedSkip, next, time.Hour, []string{"08:00"}, 0},
		"a clock that is put back does no harm":  {schedule.MissedAll, next.Add(-48 * time.Hour), time.Hour, nil, 0},
		"an age of nothing still allows a grace": {schedule.MissedOnce, next.Add(30 * time.Second), 0, []string{"08:00"}, 0},
	} {
		due := hourly.Due(next, c.now, 0, c.policy, c.age)
		var run []string
		for _, r := range due.Run {
			run = append(run, r.UTC().Format("15:04"))
		}
		require.Equal(t, c.run, run, name)
		require.Equal(t, c.passed, due.Passed, name)
		require.True(t, due.Next.After(c.now), name)
	}
}

func TestDue_OfASingleTimeThereIsNoNext(t *testing.T) {
	t.Parallel()
	when := at(t, "2026-03-02T08:00:00Z")
	one, err := schedule.New(schedule.Spec{Kind: schedule.At, At: when, Zone: "UTC"})
	require.NoError(t, err)
	due := one.Due(when, when.Add(time.Hour), 0, schedule.MissedOnce, 2*time.Hour)
	require.Equal(t, schedule.Due{Run: []time.Time{when}}, due)
	due = one.Due(when, when.Add(3*time.Hour), 0, schedule.MissedOnce, 2*time.Hour)
	require.Equal(t, schedule.Due{Passed: 1}, due)
}

func TestDue_WaitsForItsOffset(t *testing.T) {
	t.Parallel()
	hourly, next := expr(t, "0 * * * *", "UTC"), at(t, "2026-03-02T08:00:00Z")
	require.Empty(t, hourly.Due(next, next.Add(9*time.Minute), 10*time.Minute, schedule.MissedSkip, 0).Run)
	require.Len(t, hourly.Due(next, next.Add(10*time.Minute), 10*time.Minute, schedule.MissedSkip, 0).Run, 1)
}

func TestDue_YearsOfMinutesTakeNoTime(t *testing.T) {
	t.Parallel()
	minutely, next := expr(t, "* * * * *", "UTC"), at(t, "2006-03-02T08:00:00Z")
	due := minutely.Due(next, at(t, "2026-03-02T08:00:00Z"), 0, schedule.MissedAll, 30*24*time.Hour)
	require.Len(t, due.Run, 100)
	require.Equal(t, "2026-03-02T08:00:00Z", due.Run[99].UTC().Format(time.RFC3339))
	require.Equal(t, "2026-03-02T08:01:00Z", due.Next.UTC().Format(time.RFC3339))
}

func TestDue_WhateverTheClockDoesATimeRunsOnceAndInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		table := expr(t, rapid.SampledFrom([]string{"* * * * *", "*/7 * * * *", "30 2 * * *", "0 0 1 * *"}).Draw(t, "expr"), berlin)
		policy := rapid.SampledFrom([]schedule.Missed{schedule.MissedSkip, schedule.MissedOnce, schedule.MissedAll}).Draw(t, "policy")
		age := time.Duration(rapid.IntRange(0, 48).Draw(t, "age")) * time.Hour
		now := at(t, "2026-03-28T12:00:00Z")
		next, _ := table.Next(now)
		var last time.Time
		for range 20 {
			now = now.Add(time.Duration(rapid.Int64Range(-3600, 2*24*3600).Draw(t, "later")) * time.Second)
			due := table.Due(next, now, 0, policy, age)
			for _, run := range due.Run {
				require.True(t, run.After(last))
				require.False(t, run.After(now), "a time that has not come")
				last = run
			}
			require.False(t, due.Next.Before(next))
			next = due.Next
		}
	})
}
