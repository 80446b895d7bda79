package workflows_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/cronjob"
	"xbot/internal/automation/cron"
	"xbot/internal/chat"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/turn/conversation"
	"xbot/workflows"
)

// nameTimes is the workflow that stands in for Temporal's server.
const nameTimes = "times"

// times is a job over months on a clock that skips what nobody does anything in: workflow, activity, desk and Postgres are the real
// ones and have the time of the testsuite.
type times struct {
	*store.Store
	t    *testing.T
	env  *testsuite.TestWorkflowEnvironment
	pool *pgxpool.Pool
	who  cron.Caller
	desk *cron.Jobs
	job  chat.Job

	mu    sync.Mutex
	ticks time.Duration
	runs  int           // of the workflow
	down  time.Duration // how long nothing runs at first
}

func skipTimes(t *testing.T, start string) *times {
	t.Helper()
	t.Parallel()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	c := &times{t: t, env: newEnvironment(&suite)}
	begin, err := time.Parse(time.RFC3339, start)
	require.NoError(t, err)
	c.env.SetStartTime(begin)
	c.env.SetTestTimeout(time.Minute)
	c.pool = pgtest.NewPoolAt(t, pg.MigrationsHash(), pg.Migrate, c.now)
	c.Store = store.New(c.pool, store.Options{Wakes: c})
	user, err := c.Users.EnsureAdmin(t.Context(), "alice")
	require.NoError(t, err)
	_, err = c.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: key, Owner: user.ID, Channel: "web"})
	require.NoError(t, err)
	c.who = cron.Caller{User: user.ID}
	c.desk = &cron.Jobs{Conversations: c.Store.Conversations, Cron: c.Store.Cron, Services: c.Store.Services, Zones: c}
	keeper := &cronjob.CronJobs{
		Jobs: c.Store.Cron, Words: true, Heartbeats: c,
	}
	c.env.RegisterActivityWithOptions(keeper.FireJob, activity.RegisterOptions{Name: activities.NameFireJob})
	counted := func(ctx workflow.Context, in workflows.CronJobInput) error {
		c.runs++
		return workflows.CronJob(ctx, in)
	}
	c.env.RegisterWorkflowWithOptions(counted, workflow.RegisterOptions{Name: workflows.NameCronJob})
	c.env.RegisterWorkflowWithOptions(c.server, workflow.RegisterOptions{Name: nameTimes})
	return c
}

// ZoneOf says that everybody lives in UTC.
func (c *times) ZoneOf(context.Context, chat.UserID) (cron.Zone, error) {
	return cron.Zone{Name: "UTC", From: cron.FromServer}, nil
}

// Heartbeat says that no job is one.
func (c *times) Heartbeat(context.Context, chat.JobID) (*chat.Heartbeat, error) { return nil, nil }

// server does what Temporal's server does with wakes: one reaches the job that runs, or starts it.
func (c *times) server(ctx workflow.Context, lasts time.Duration) error {
	wakes, over := workflow.GetSignalChannel(ctx, workflows.SignalWake), workflow.NewTimer(ctx, lasts)
	in := workflows.CronJobInput{Job: c.job.ID}
	var running workflow.ChildWorkflowFuture
	start := func() {
		o := workflow.ChildWorkflowOptions{WorkflowID: workflows.CronID(in.Job), TaskQueue: workflows.TaskQueue}
		running = workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, o), workflows.NameCronJob, in)
	}
	var failed error
	if err := workflow.Sleep(ctx, c.down); err != nil {
		return err
	}
	start()
	for ended := false; !ended && failed == nil; {
		next := workflow.NewSelector(ctx)
		next.AddFuture(over, func(workflow.Future) { ended = true })
		next.AddReceive(wakes, func(w workflow.ReceiveChannel, _ bool) {
			w.Receive(ctx, nil)
			if running == nil {
				start()
			} else {
				_ = running.SignalChildWorkflow(ctx, workflows.SignalWake, nil).Get(ctx, nil)
			}
		})
		if running != nil {
			next.AddFuture(running, func(f workflow.Future) { failed, running = f.Get(ctx, nil), nil })
		}
		next.Select(ctx)
	}
	return failed
}

// now is the clock of Postgres: that of the testsuite, where no two transactions have the same instant.
func (c *times) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ticks += time.Microsecond
	return c.env.Now().Add(c.ticks)
}

// Wake wakes the workflow of the job. No turn runs here.
func (c *times) Wake(wakes ...chat.Wake) {
	for _, w := range wakes {
		if w.Kind == chat.WakeJob && c.job.ID != "" {
			c.env.SignalWorkflow(workflows.SignalWake, nil)
		}
	}
}

// add keeps the job.
func (c *times) add(p chat.JobPlan) {
	c.t.Helper()
	p.Message = "look"
	j, err := c.desk.Add(c.t.Context(), c.who, p, cron.From{})
	require.NoError(c.t, err)
	c.job = j
}

// at lets something happen so long after the beginning.
func (c *times) at(after time.Duration, do func() error) {
	c.env.RegisterDelayedCallback(func() { require.NoError(c.t, do()) }, after)
}

// claimed takes what was told at once, as turns do.
func (c *times) claimed() {
	c.t.Helper()
	_, err := c.pool.Exec(c.t.Context(), `CREATE FUNCTION taken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.outcome := 'applied'; RETURN NEW; END $$;
		CREATE TRIGGER taken BEFORE INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION taken()`)
	require.NoError(c.t, err)
}

func (c *times) pass(lasts time.Duration) {
	c.t.Helper()
	c.env.ExecuteWorkflow(nameTimes, lasts)
	require.True(c.t, c.env.IsWorkflowCompleted())
	require.NoError(c.t, c.env.GetWorkflowError())
}

// ran returns the times that ran, in their order, in the timezone of the job.
func (c *times) ran() (out []string) {
	c.t.Helper()
	runs, err := c.Cron.JobRuns(c.t.Context(), c.job.ID, 1000)
	require.NoError(c.t, err)
	zone, err := time.LoadLocation(c.job.Zone)
	require.NoError(c.t, err)
	for _, r := range slices.Backward(runs) {
		require.WithinDuration(c.t, r.Scheduled, r.Began, 30*time.Second, "it did not run at its time")
		out = append(out, r.Scheduled.In(zone).Format("2006-01-02 15:04 MST"))
	}
	return out
}

func TestCronJob_AYearOfMorningsRunsEachOnceAlsoWhereClocksChange(t *testing.T) {
	for zone, changes := range map[string][]string{
		"Europe/Berlin":    {"2026-03-29 03:00 CEST", "2026-10-25 02:30 CEST", "2026-10-26 02:30 CET"},
		"America/New_York": {"2026-03-08 03:00 EDT", "2026-10-25 02:30 EDT", "2026-11-02 02:30 EST"},
		"Asia/Shanghai":    {"2026-03-29 02:30 CST", "2026-10-25 02:30 CST"},
	} {
		t.Run(zone, func(t *testing.T) {
			c := skipTimes(t, "2026-01-01T12:00:00Z")
			c.claimed()
			c.add(chat.JobPlan{When: "30 2 * * *", Zone: zone})
			c.pass(365 * 24 * time.Hour)
			ran := c.ran()
			require.Len(t, ran, 365)
			days := map[string]bool{}
			for _, at := range ran {
				require.False(t, days[at[:10]], "%s ran twice", at[:10])
				days[at[:10]] = true
			}
			require.Subset(t, ran, changes)
			require.GreaterOrEqual(t, c.runs, 365, "each fire continues as new")
		})
	}
}

func TestCronJob_AnIntervalKeepsItsPhase(t *testing.T) {
	c := skipTimes(t, "2026-03-28T12:00:00Z")
	c.claimed()
	c.add(chat.JobPlan{When: "every 7h", Zone: "Europe/Berlin"})
	c.pass(48 * time.Hour)
	require.Equal(t, []string{
		"2026-03-28 20:00 CET", "2026-03-29 04:00 CEST", "2026-03-29 11:00 CEST", "2026-03-29 18:00 CEST", "2026-03-30 01:00 CEST", "2026-03-30 08:00 CEST",
	}, c.ran())
}

func TestCronJob_PausedItRestsAndResumedItGoesOnWithoutMakingUp(t *testing.T) {
	c := skipTimes(t, "2026-03-02T00:00:00Z")
	c.claimed()
	c.add(chat.JobPlan{When: "0 8 * * *", Missed: "all"})
	c.at(36*time.Hour, func() error { _, err := c.desk.Pause(t.Context(), c.who, c.job.ID); return err })
	c.at(85*time.Hour, func() error { _, err := c.desk.Resume(t.Context(), c.who, c.job.ID); return err })
	c.pass(5 * 24 * time.Hour)
	require.Equal(t, []string{"2026-03-02 08:00 UTC", "2026-03-03 08:00 UTC", "2026-03-06 08:00 UTC"}, c.ran())
}

func TestCronJob_AnEditWhileItWaitsHoldsAtOnce(t *testing.T) {
	c := skipTimes(t, "2026-03-02T00:00:00Z")
	c.claimed()
	c.add(chat.JobPlan{When: "0 20 * * *"})
	c.at(time.Hour, func() error {
		_, err := c.desk.Change(t.Context(), c.who, c.job.ID, 0, func(p *chat.JobPlan) { p.When = "0 6 * * *" })
		return err
	})
	c.pass(31 * time.Hour)
	require.Equal(t, []string{"2026-03-02 06:00 UTC", "2026-03-03 06:00 UTC"}, c.ran())
}

func TestCronJob_DeletedItEnds(t *testing.T) {
	c := skipTimes(t, "2026-03-02T00:00:00Z")
	c.add(chat.JobPlan{When: "every 1h"})
	c.at(30*time.Minute, func() error { return c.desk.Remove(t.Context(), c.who, c.job.ID) })
	c.pass(5 * time.Hour)
	require.Empty(t, c.ran())
	require.Equal(t, 1, c.runs)
}

func TestCronJob_ASingleTimeEndsByItself(t *testing.T) {
	c := skipTimes(t, "2026-03-02T00:00:00Z")
	c.add(chat.JobPlan{When: "in 90m"})
	c.pass(24 * time.Hour)
	require.Equal(t, []string{"2026-03-02 01:30 UTC"}, c.ran())
	require.Equal(t, 1, c.runs)
}

func TestCronJob_RunByHandItsTimesStayAsTheyAre(t *testing.T) {
	c := skipTimes(t, "2026-03-02T00:00:00Z")
	c.claimed()
	c.add(chat.JobPlan{When: "0 8 * * *"})
	c.at(time.Hour, func() error { return c.desk.Run(t.Context(), c.who, c.job.ID, "1") })
	c.pass(24 * time.Hour)
	require.Equal(t, []string{"2026-03-02 01:00 UTC", "2026-03-02 08:00 UTC"}, c.ran())
}

func TestCronJob_NoRunWaitsLongerThanADay(t *testing.T) {
	c := skipTimes(t, "2026-03-02T00:00:00Z")
	c.add(chat.JobPlan{When: "@monthly"})
	c.pass(29 * 24 * time.Hour)
	require.Empty(t, c.ran())
	require.InDelta(t, 29, c.runs, 1)
}

func TestCronJob_NoRunOfAPausedJobIsOlderThanADay(t *testing.T) {
	c := skipTimes(t, "2026-03-02T00:00:00Z")
	c.add(chat.JobPlan{When: "0 8 * * *"})
	c.at(time.Hour, func() error { _, err := c.desk.Pause(t.Context(), c.who, c.job.ID); return err })
	c.pass(10 * 24 * time.Hour)
	require.Empty(t, c.ran())
	require.InDelta(t, 10, c.runs, 1)
}

func TestCronJob_NoRunOfAJobThatIsOftenChangedIsOlderThanTwoDays(t *testing.T) {
	c := skipTimes(t, "2026-03-02T00:00:00Z")
	c.add(chat.JobPlan{When: "@monthly"})
	for i := range 20 {
		c.at(time.Duration(i+1)*20*time.Hour, func() error {
			_, err := c.desk.Change(t.Context(), c.who, c.job.ID, 0, func(p *chat.JobPlan) { p.Message = fmt.Sprint("look ", i) })
			return err
		})
	}
	c.pass(17 * 24 * time.Hour)
	require.Empty(t, c.ran())
	require.GreaterOrEqual(t, c.runs, 9)
}

func TestCronJob_ATimeThatIsSkippedContinuesAsNew(t *testing.T) {
	c := skipTimes(t, "2026-03-02T00:00:00Z")
	c.add(chat.JobPlan{When: "every 20h"}) // nobody begins the first run: all others are skipped
	c.pass(20*24*time.Hour + time.Hour)    // the last time comes an hour before the end
	require.Len(t, c.ran(), 24)
	require.GreaterOrEqual(t, c.runs, 24)
}
