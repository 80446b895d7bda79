package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"golang.org/x/sync/errgroup"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/workflows"
)

// job keeps a job of the administrator.
func (s *server) job(p chat.JobPlan) chat.Job {
	s.t.Helper()
	j, err := s.client.AddJob(s.t.Context(), apiclient.NewJob{JobPlan: p})
	require.NoError(s.t, err)
	return j
}

// untilRuns waits until the runs of a job are as wanted, newest first.
func (s *server) untilRuns(limit time.Duration, id chat.JobID, what string, wanted func(runs []chat.JobRun) bool) (runs []chat.JobRun) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		var err error
		runs, err = s.client.ListRuns(s.t.Context(), id)
		return err == nil && wanted(runs)
	}, limit, 20*time.Millisecond, "%s: %s", id, what)
	return runs
}

func ended(n int) func(runs []chat.JobRun) bool {
	return func(runs []chat.JobRun) bool {
		for _, r := range runs {
			if r.Outcome == "waiting" || r.Outcome == "running" {
				return false
			}
		}
		return len(runs) >= n
	}
}

// own is the conversation of a job.
func (s *server) own(id chat.JobID) *talk {
	return &talk{server: s, key: chat.SessionKey("cron:" + id)}
}

func TestCron_AHundredJobsOfOneSecondRunEachOnceOverTwoKills(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const many = 100
	when := time.Now().Add(10 * time.Second).UTC().Truncate(time.Second)
	jobs := make([]chat.Job, many)
	var g errgroup.Group
	g.SetLimit(8)
	for i := range jobs {
		g.Go(func() (err error) {
			plan := chat.JobPlan{When: "at " + when.Format(time.RFC3339), Zone: "UTC", Message: fmt.Sprintf("say answer %d", i), Missed: "all"}
			jobs[i], err = s.client.AddJob(t.Context(), apiclient.NewJob{JobPlan: plan})
			return err
		})
	}
	require.NoError(t, g.Wait())
	require.True(t, time.Now().Before(when), "the machine is too slow for this test: the time has come before all jobs were made")
	db := s.look()
	fired := func(n int) {
		t.Helper()
		require.Eventually(t, func() bool {
			var got int
			return db.QueryRow(context.Background(), `SELECT count(*) FROM cron_runs`).Scan(&got) == nil && got >= n
		}, time.Minute, time.Millisecond, "%d jobs should have run", n)
	}
	fired(5)
	s.crash()
	s.boot()
	db = s.look()
	fired(50)
	s.crash()
	restarted := time.Now()
	s.boot()
	for i, j := range jobs {
		runs := s.untilRuns(2*time.Minute, j.ID, "ends", ended(1))
		require.Len(t, runs, 1)
		require.Equal(t, "done", runs[0].Outcome)
		require.True(t, runs[0].Scheduled.Equal(when))
		k := s.own(j.ID)
		require.Equal(t, []string{fmt.Sprint("answer ", i)}, k.answers(), "it was told once and answered once")
		k.wellFormed()
	}
	t.Logf("%d jobs of one second, each run once, all answered %s after the second kill", many, time.Since(restarted).Round(time.Millisecond))
}

func TestCron_AKillAroundTheCommitOfAFireChangesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, c := range []struct{ name, when, condition string }{
		{"before it is committed", "BEFORE INSERT ON inbox", "NEW.account = 'cron'"},
		{"after it, before anybody is woken", "BEFORE INSERT ON turns", "NEW.session_key LIKE 'cron:%'"},
	} {
		held := s.held(c.when, c.condition)
		j := s.job(chat.JobPlan{When: "in 1s", Message: "say " + c.name})
		held.waits(1)
		s.crash()
		held.release()
		s.boot()
		runs := s.untilRuns(time.Minute, j.ID, "ends", ended(1))
		require.Len(t, runs, 1, c.name)
		require.Equal(t, "done", runs[0].Outcome, c.name)
		require.Equal(t, []string{c.name}, s.own(j.ID).answers(), c.name)
	}
}

func TestCron_AfterARestartMissedTimesAreMadeUpForByPolicy(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	want := map[string]int{"skip": 0, "once": 1, "all": 4}
	jobs := map[string]chat.Job{}
	for policy := range want {
		jobs[policy] = s.job(chat.JobPlan{When: "every 1h", Message: "say made up", Missed: policy})
	}
	// Four hours without the server: its workflows wait for the times from before.
	_, err := s.look().Exec(t.Context(), `UPDATE cron_jobs SET at = now() - interval '3 hours 10 minutes', next_at = now() - interval '3 hours 10 minutes',
		due_at = now() - interval '3 hours 10 minutes', checked_at = now()`)
	require.NoError(t, err)
	s.crash()
	s.boot()
	for policy, n := range want {
		j := jobs[policy]
		runs := s.untilRuns(time.Minute, j.ID, "makes up for "+policy, ended(n))
		require.Eventually(t, func() bool {
			all, err := s.client.ListJobs(t.Context(), apiclient.ListJobsParams{})
			require.NoError(t, err)
			for _, now := range all.Jobs {
				if now.ID == j.ID {
					return now.Passed == int64(4-n) && now.Next.After(time.Now())
				}
			}
			return false
		}, time.Minute, 50*time.Millisecond, policy)
		require.Len(t, runs, n, policy)
		for _, r := range runs {
			require.Equal(t, chat.RunMissed, r.Reason)
			require.Equal(t, "done", r.Outcome)
		}
	}
}

func TestCron_TheModelKeepsJobsAndIsToldInItsConversation(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.done(`call Cron {"action":"add","when":"in 2s","name":"tea","message":"say the tea is ready"}`, "say I will")
	require.Eventually(t, func() bool {
		answers := k.answers()
		return answers[len(answers)-1] == "the tea is ready"
	}, time.Minute, 20*time.Millisecond)
	told := k.transcript().Messages
	require.Equal(t, chat.OriginCron, told[len(told)-2].Origin)
	require.Contains(t, told[len(told)-2].Content, "[cron tea · scheduled ")
	k.wellFormed()

	k.send("/cron add every 1h look around")
	k.send("/cron pause look around")
	require.Contains(t, k.notices()[len(k.notices())-1], "look around is paused")
	list, err := k.client.ListJobs(t.Context(), apiclient.ListJobsParams{})
	require.NoError(t, err)
	require.Len(t, list.Jobs, 2)
	require.Equal(t, chat.JobPaused, list.Jobs[0].State)
	require.Equal(t, chat.JobDone, list.Jobs[1].State)
}

func TestCron_AnEditReachesAJobThatWaits(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	j := s.job(chat.JobPlan{When: "every 1h", Message: "say old"})
	plan := j.JobPlan
	plan.When, plan.Message = "in 1s", "say new"
	_, err := s.client.ChangeJob(t.Context(), j.ID, apiclient.JobChange{JobPlan: plan})
	require.NoError(t, err)
	s.untilRuns(time.Minute, j.ID, "runs", ended(1))
	require.Equal(t, []string{"new"}, s.own(j.ID).answers())
	require.NoError(t, s.client.RunJob(t.Context(), j.ID, "1"))
	runs := s.untilRuns(time.Minute, j.ID, "runs by hand", ended(2))
	require.Equal(t, chat.RunManual, runs[0].Reason)
	require.NoError(t, s.client.DeleteJob(t.Context(), j.ID))
	require.Eventually(t, func() bool {
		d, err := s.temporal().DescribeWorkflowExecution(t.Context(), workflows.CronID(j.ID), "")
		return err == nil && d.GetWorkflowExecutionInfo().GetCloseTime() != nil
	}, time.Minute, 20*time.Millisecond)
}

// TestHistories_OfJobs looks at the history of a job that is woken, waits, fires and continues as new.
func TestHistories_OfJobs(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const spoken = "a long secret tale that goes on and on well past the first words of it"
	j := s.job(chat.JobPlan{When: "every 1h", Message: "say " + spoken})
	id := workflows.CronID(j.ID)
	var run string
	require.Eventually(t, func() bool {
		d, err := s.temporal().DescribeWorkflowExecution(t.Context(), id, "")
		run = d.GetWorkflowExecutionInfo().GetExecution().GetRunId()
		return err == nil && run != ""
	}, time.Minute, 20*time.Millisecond)
	_, err := s.look().Exec(t.Context(), `UPDATE cron_jobs SET next_at = now() + interval '2 seconds', due_at = now() + interval '2 seconds'`)
	require.NoError(t, err)
	plan := j.JobPlan
	plan.Name = "tale"
	_, err = s.client.ChangeJob(t.Context(), j.ID, apiclient.JobChange{JobPlan: plan})
	require.NoError(t, err)
	s.untilRuns(time.Minute, j.ID, "runs", ended(1))
	require.Eventually(t, func() bool {
		d, err := s.temporal().DescribeWorkflowExecution(t.Context(), id, "")
		return err == nil && d.GetWorkflowExecutionInfo().GetExecution().GetRunId() != run
	}, time.Minute, 20*time.Millisecond, "it continues as new")
	small(t, "job", s.captureRun("cron", id, run), 30, 6<<10)

	first := run
	run = s.runOf(id)
	for range 2 { // each is a wake of the run that waits
		_, err = s.client.PauseJob(t.Context(), j.ID)
		require.NoError(t, err)
		plan.Message = "say other"
		_, err = s.client.ChangeJob(t.Context(), j.ID, apiclient.JobChange{JobPlan: plan})
		require.NoError(t, err)
		_, err = s.client.ResumeJob(t.Context(), j.ID)
		require.NoError(t, err)
	}
	require.NoError(t, s.client.RunJob(t.Context(), j.ID, "1"))
	s.untilRuns(time.Minute, j.ID, "runs by hand", ended(2))
	_, err = s.look().Exec(t.Context(), `UPDATE cron_jobs SET next_at = now() + interval '2 seconds', due_at = now() + interval '2 seconds'`)
	require.NoError(t, err)
	plan.Name = "another tale"
	_, err = s.client.ChangeJob(t.Context(), j.ID, apiclient.JobChange{JobPlan: plan})
	require.NoError(t, err)
	s.untilRuns(time.Minute, j.ID, "runs", ended(3))
	require.Eventually(t, func() bool { return s.runOf(id) != run }, time.Minute, 20*time.Millisecond, "it continues as new")
	require.NotEqual(t, first, run)
	h := s.captureRun("cron-changed", id, run)
	require.Equal(t, enums.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW, h.Events[len(h.Events)-1].EventType)
	small(t, "job that is changed", h, 100, 16<<10)
}

// runOf is the newest run of a workflow.
func (s *server) runOf(workflow string) string {
	s.t.Helper()
	d, err := s.temporal().DescribeWorkflowExecution(s.t.Context(), workflow, "")
	require.NoError(s.t, err)
	return d.GetWorkflowExecutionInfo().GetExecution().GetRunId()
}
