package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/chat"
	"xbot/internal/service"
)

// remind keeps a job of a consumer, in their own conversation.
func (d *desk) remind(c service.Conversation) cronstore.Job {
	d.t.Helper()
	return d.job("30 9 * * *", func(j *cronstore.Job) { j.Owner, j.Service, j.Target = c.User, d.of.ID, c.Session })
}

// answer has a turn answer what a conversation was told.
func (d *desk) answer(c chat.SessionKey) {
	d.t.Helper()
	d.finish(c, d.turn(c, len(d.told())), chat.TurnDone)
}

// whys counts why runs of jobs told nobody.
func (d *desk) whys(jobs ...cronstore.Job) map[string]int {
	d.t.Helper()
	out := map[string]int{}
	for _, j := range jobs {
		runs, err := d.Cron.JobRuns(d.t.Context(), j.ID, 1000)
		require.NoError(d.t, err)
		for _, r := range runs {
			out[r.Outcome+" "+r.Why]++
		}
	}
	return out
}

func TestTrack_TheJobsOfARevokedKeyTellNothing(t *testing.T) {
	d := deskOf(t, 6)
	var jobs []cronstore.Job
	for _, c := range d.there {
		jobs = append(jobs, d.remind(c))
	}
	other := d.beginWith(d.caller(d.key(d.of)))
	goesOn := d.remind(other)
	d.c.set("2026-03-02T08:30:00Z")
	for _, j := range jobs {
		d.fire(j.ID)
	}
	d.settled()
	accepted := d.begun()
	require.Len(t, accepted, 4)
	require.NoError(t, d.Services.RevokeServiceKey(t.Context(), d.of.ID, d.there[0].Key))
	for _, key := range accepted {
		d.answer(key)
	}
	d.settled()
	require.Empty(t, d.begun(), "what waited in line is passed over")
	require.Equal(t, map[string]int{"done ": 4, "skipped revoked": 2}, d.whys(jobs...), "what was posted before is answered")

	d.c.set("2026-03-03T08:30:00Z")
	for _, j := range jobs {
		f := d.fire(j.ID)
		require.True(t, f.Held)
		require.Zero(t, f.Runs)
	}
	d.fire(goesOn.ID)
	d.settled()
	require.Equal(t, []chat.SessionKey{other.Session}, d.begun(), "another key's job")
}

func TestTrack_TheJobsOfConsumersArePassedOverWhileTheTokensOfTheDayAreUsedUp(t *testing.T) {
	d := deskOf(t, 6)
	_, err := d.Services.ChangeService(t.Context(), d.of.ID, 0, limited(service.Limits{RequestsPerMinute: 60, Concurrent: 4, TokensPerDay: 100}))
	require.NoError(t, err)
	var jobs []cronstore.Job
	for _, c := range d.there {
		jobs = append(jobs, d.remind(c))
	}
	task := d.task("30 9 * * *", d.there[0].Session)
	d.c.set("2026-03-02T08:30:00Z")
	for _, j := range jobs {
		d.fire(j.ID)
	}
	d.settled()
	_, err = d.pool.Exec(t.Context(), `INSERT INTO service_tokens (service_id, day, key_id, model, prompt_tokens) VALUES ($1, '2026-03-02', $2, 'm', 100)`, d.of.ID, d.there[0].Key)
	require.NoError(t, err)
	for len(d.begun()) > 0 {
		d.answer(d.begun()[0])
		d.settled()
	}
	require.Equal(t, map[string]int{"done ": 4, "skipped budget": 2}, d.whys(jobs...))
	d.fire(task.ID)
	d.settled()
	require.Len(t, d.begun(), 1, "what an administrator has them told is not counted against consumers")
	d.answer(d.begun()[0])

	d.c.set("2026-03-03T08:30:00Z")
	for _, j := range jobs {
		d.fire(j.ID)
	}
	d.settled()
	require.Len(t, d.begun(), 4, "the next day")
}

func TestTrack_KeysTakeTurnsAfterAdministrators(t *testing.T) {
	d := deskOf(t, 12)
	few := d.beginWith(d.caller(d.key(d.of)))
	d.c.set("2026-03-02T08:30:00Z")
	for _, c := range d.there {
		_, err := d.Cron.RunJob(t.Context(), d.remind(c).ID, "now")
		require.NoError(t, err)
	}
	d.settled()
	require.Len(t, d.begun(), 4, "one key alone has all places")
	for range 2 {
		_, err := d.Cron.RunJob(t.Context(), d.remind(few).ID, "now")
		require.NoError(t, err)
	}
	task := d.task("30 9 * * *", d.there[11].Session)
	_, err := d.Cron.RunJob(t.Context(), task.ID, "now")
	require.NoError(t, err)

	next := func() chat.SessionKey {
		before := d.begun()
		d.answer(before[0])
		d.settled()
		after := d.begun()
		return after[len(after)-1]
	}
	require.Equal(t, d.there[11].Session, next(), "an administrator's task comes first")
	require.Equal(t, map[string]int{"waiting ": 1}, d.whys(task))
	require.Equal(t, few.Session, next(), "then the key that has no place")
	require.NotEqual(t, few.Session, next(), "each has one, and the other key's was longer ago")
	require.Equal(t, few.Session, next(), "now it is its turn again")
}
