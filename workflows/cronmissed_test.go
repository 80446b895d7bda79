package workflows_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

// madeUp returns the runs and why they took place, in their order, and how many times were passed over.
func (c *times) madeUp() (out []string, passed int64) {
	c.t.Helper()
	runs, err := c.Cron.JobRuns(c.t.Context(), c.job.ID, 100)
	require.NoError(c.t, err)
	for _, r := range slices.Backward(runs) {
		out = append(out, r.Scheduled.UTC().Format("15:04")+" "+r.Reason)
	}
	j, err := c.Store.Cron.Job(c.t.Context(), c.job.ID)
	require.NoError(c.t, err)
	return out, j.Passed
}

func TestCronJob_AfterTheServerWasDown(t *testing.T) {
	const half = 30 * time.Minute
	edit := func(c *times, change func(p *chat.JobPlan)) func() error {
		return func() error {
			_, err := c.desk.Change(c.t.Context(), c.who, c.job.ID, 0, change)
			return err
		}
	}
	pause := func(c *times) func() error {
		return func() error { _, err := c.desk.Pause(c.t.Context(), c.who, c.job.ID); return err }
	}
	resume := func(c *times) func() error {
		return func() error { _, err := c.desk.Resume(c.t.Context(), c.who, c.job.ID); return err }
	}
	for name, k := range map[string]struct {
		plan   chat.JobPlan
		down   time.Duration
		before func(c *times) // it comes up
		runs   []string
		passed int64
	}{
		"skip leaves what was missed":       {plan: chat.JobPlan{Missed: "skip"}, down: 7 * half, passed: 3},
		"once makes up for all with one":    {plan: chat.JobPlan{Missed: "once"}, down: 7 * half, runs: []string{"03:00 missed"}, passed: 2},
		"all makes up for each":             {plan: chat.JobPlan{Missed: "all"}, down: 7 * half, runs: []string{"01:00 missed", "02:00 missed", "03:00 missed"}},
		"a time at the boot is not missed":  {plan: chat.JobPlan{Missed: "skip"}, down: 6 * half, runs: []string{"03:00 scheduled"}, passed: 2},
		"a minute late is missed":           {plan: chat.JobPlan{Missed: "skip"}, down: 6*half + time.Minute, passed: 3},
		"all within the age, at its edge":   {plan: chat.JobPlan{Missed: "all", MaxAge: 7201}, down: 6 * half, runs: []string{"01:00 missed", "02:00 missed", "03:00 scheduled"}},
		"all within the age, past its edge": {plan: chat.JobPlan{Missed: "all", MaxAge: 7199}, down: 6 * half, runs: []string{"02:00 missed", "03:00 scheduled"}, passed: 1},
		"once leaves what is too old":       {plan: chat.JobPlan{Missed: "once", MaxAge: 600}, down: 7 * half, passed: 3},
		"made otherwise while it was down": {
			plan: chat.JobPlan{Missed: "skip"}, down: 7 * half, runs: []string{"01:00 missed", "02:00 missed", "03:00 missed"},
			before: func(c *times) { c.at(3*half, edit(c, func(p *chat.JobPlan) { p.Missed = "all" })) },
		},
		"moved while it was down, it has its new times only": {
			plan: chat.JobPlan{Missed: "all"}, down: 7*half + 5*time.Minute, runs: []string{"01:30 missed", "02:30 missed", "03:30 missed"},
			before: func(c *times) { c.at(75*time.Minute, edit(c, func(p *chat.JobPlan) { p.When = "30 * * * *" })) },
		},
		"paused while it was due": {plan: chat.JobPlan{Missed: "all"}, down: 7 * half, before: func(c *times) { c.at(3*half, pause(c)) }},
		"paused for a while": {
			plan: chat.JobPlan{Missed: "all"}, down: 7 * half, runs: []string{"03:00 missed"},
			before: func(c *times) { c.at(3*half, pause(c)); c.at(5*half, resume(c)) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := skipTimes(t, "2026-03-02T00:00:00Z")
			c.claimed()
			k.plan.When, c.down = "0 * * * *", k.down
			c.add(k.plan)
			if k.before != nil {
				k.before(c)
			}
			c.pass(k.down + 10*time.Minute)
			runs, passed := c.madeUp()
			require.Equal(t, k.runs, runs)
			require.Equal(t, k.passed, passed)
		})
	}
}
