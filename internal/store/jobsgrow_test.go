package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/cron/cronstore"
	"xbot/internal/chat"
)

// kept counts rows.
func (b *bundle) kept(from string, args ...any) (n int) {
	b.t.Helper()
	require.NoError(b.t, b.pool.QueryRow(b.t.Context(), `SELECT count(*) FROM `+from, args...).Scan(&n))
	return n
}

func TestFireJob_OfJobsThatAreDoneTheNewestAreKept(t *testing.T) {
	b, c := setupAt(t)
	begin, err := time.Parse(time.RFC3339, "2026-03-02T08:00:00Z")
	require.NoError(t, err)
	var first, last cronstore.Job
	longest := b.job("in 9h", nil) // made before all others, and over after them
	for i := range 103 {
		last = b.job("in 1m", nil)
		if i == 0 {
			first = last
		}
		c.set(begin.Add(time.Duration(i+1) * 2 * time.Minute).Format(time.RFC3339))
		b.fire(last.ID)
	}
	c.set("2026-03-02T17:00:01Z")
	b.fire(longest.ID)
	require.Equal(t, 100, b.kept(`cron_jobs WHERE state = 'done'`))
	require.Zero(t, b.kept(`cron_runs WHERE job_id = $1`, first.ID))
	for _, j := range []cronstore.Job{last, longest} {
		runs, err := b.Cron.JobRuns(t.Context(), j.ID, 5)
		require.NoError(t, err)
		require.Len(t, runs, 1)
	}
	require.Len(t, b.told(), 104, "what was told stays")
}

func TestRunJob_ByHandOnlyTheNewestRunsAreKept(t *testing.T) {
	b, c := setupAt(t)
	j := b.job("0 9 * * *", nil)
	_, err := b.pool.Exec(t.Context(), `INSERT INTO cron_runs (job_id, key, scheduled_at, reason, session_key)
		SELECT $1, 'manual/' || n, now() - n * interval '1 minute', 'manual', 'cron:x' FROM generate_series(1, 1000) n`, j.ID)
	require.NoError(t, err)
	c.set("2026-03-02T08:10:00Z")
	for i := range 3 {
		_, err := b.Cron.RunJob(t.Context(), j.ID, fmt.Sprint("again ", i))
		require.NoError(t, err)
	}
	require.Equal(t, 1000, b.kept(`cron_runs`))
}

func TestDeleteJob_TakesItsRunsAlong(t *testing.T) {
	b, c := setupAt(t)
	j := b.job("in 1m", nil)
	c.set("2026-03-02T08:01:00Z")
	b.fire(j.ID)
	require.NoError(t, b.Cron.DeleteJob(t.Context(), j.ID))
	require.Zero(t, b.kept(`cron_runs`))
	require.Len(t, b.told(), 1, "what was told stays")
	require.Equal(t, chat.Fired{}.Job, b.fire(j.ID).Job)
}

func TestFireJob_ATimeOfWhichNobodyIsToldWasActedOn(t *testing.T) {
	b, c := setupAt(t)
	j := b.job("* * * * *", nil)
	c.set("2026-03-02T08:01:00Z")
	require.Equal(t, 1, b.fire(j.ID).Runs)
	c.set("2026-03-02T08:02:00Z")
	require.Equal(t, 1, b.fire(j.ID).Runs, "the run before waits: it was skipped, and the workflow goes on anew")
	now, err := b.Cron.Job(t.Context(), j.ID)
	require.NoError(t, err)
	require.Equal(t, 1, now.Runs)
}

func TestFireJob_AClockThatIsSetBackRepeatsNothing(t *testing.T) {
	b, c := setupAt(t)
	_, err := b.pool.Exec(t.Context(), `CREATE FUNCTION taken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.outcome := 'applied'; RETURN NEW; END $$;
		CREATE TRIGGER taken BEFORE INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION taken()`)
	require.NoError(t, err)
	j := b.job("* * * * *", func(j *cronstore.Job) { j.Missed = "all" })
	for _, at := range []string{"08:01:00", "07:00:00", "08:01:30", "07:59:59", "08:02:00", "08:00:00", "08:03:00"} {
		c.set("2026-03-02T" + at + "Z")
		b.fire(j.ID)
	}
	runs, err := b.Cron.JobRuns(t.Context(), j.ID, 10)
	require.NoError(t, err)
	var ran []string
	for _, r := range runs {
		ran = append(ran, r.Scheduled.UTC().Format("15:04")+" "+r.Reason)
	}
	require.Equal(t, []string{"08:03 scheduled", "08:02 scheduled", "08:01 scheduled"}, ran)
}
