package workflows_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/cronjob"
	"xbot/internal/automation/cron"
	"xbot/internal/chat"
	"xbot/internal/secret"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/workflows"
)

// line is what the activity says, one after the other, the last one for ever.
type line struct {
	says  []cronjob.AdvanceTrackOutput
	asked int
}

func (l *line) AdvanceTrack(context.Context, cronjob.AdvanceTrackInput) (cronjob.AdvanceTrackOutput, error) {
	l.asked++
	return l.says[min(l.asked, len(l.says))-1], nil
}

func TestServiceTrack_LooksUntilNobodyWaitsAndNoRunGoesOn(t *testing.T) {
	t.Parallel()
	env := quiet()
	l := &line{says: []cronjob.AdvanceTrackOutput{
		{Posted: 4, Waiting: true}, {Posted: 4, Waiting: true, Wait: 15 * time.Second}, {Posted: 1, Wait: 15 * time.Second}, {},
	}}
	env.RegisterActivityWithOptions(l.AdvanceTrack, activity.RegisterOptions{Name: activities.NameAdvanceTrack})
	began := env.Now()
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalWake, nil) }, 5*time.Second)
	env.ExecuteWorkflow(workflows.ServiceTrack, workflows.ServiceTrackInput{})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 4, l.asked)
	require.Equal(t, 20*time.Second, env.Now().Sub(began).Truncate(time.Second), "it was woken after five seconds, and looked by itself after fifteen more")
}

func TestServiceTrack_ContinuesAsNewAfterManyLooks(t *testing.T) {
	t.Parallel()
	env := quiet()
	l := &line{says: []cronjob.AdvanceTrackOutput{{Posted: 1, Wait: time.Second}}}
	env.RegisterActivityWithOptions(l.AdvanceTrack, activity.RegisterOptions{Name: activities.NameAdvanceTrack})
	env.ExecuteWorkflow(workflows.ServiceTrack, workflows.ServiceTrackInput{})
	var again *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &again)
	require.Equal(t, 100, l.asked)
}

func TestServiceTrack_ARunIsStoppedAfterHalfAnHour(t *testing.T) {
	c := skipTimes(t, "2026-03-02T08:00:00Z")
	ctx := t.Context()
	d, err := service.Defaults().Apply(service.Patch{Name: new("Help desk")})
	require.NoError(t, err)
	of, err := c.Services.AddService(ctx, c.who.User, d, true)
	require.NoError(t, err)
	_, key, err := c.Services.AddServiceKey(ctx, of.ID, "shop")
	require.NoError(t, err)
	by, err := c.Services.CallerOf(ctx, secret.HashToken(key))
	require.NoError(t, err)
	talk, err := c.Services.BeginConversation(ctx, servicestore.NewConversation{Caller: by, Source: service.SourceAPI})
	require.NoError(t, err)
	made, err := c.desk.Publish(ctx, cron.Caller{User: c.who.User, Admin: true}, cron.ServiceTask{Message: "look", Services: []string{of.ID}, Type: "interval", Schedule: "600"}, "a")
	require.NoError(t, err)
	track := &cronjob.Track{Runs: c.Store.Cron}
	c.env.RegisterActivityWithOptions(track.AdvanceTrack, activity.RegisterOptions{Name: activities.NameAdvanceTrack})
	_, err = c.Cron.RunJob(ctx, made[0].ID, "by hand")
	require.NoError(t, err)

	stopped := time.Time{}
	turn := chat.TurnID("turn-1")
	c.at(time.Minute, func() error {
		_, ok, err := c.Turns.Claim(ctx, talk.Session, turn, "run-1", 0)
		if err == nil && !ok {
			err = errors.New("nothing was posted")
		}
		return err
	})
	c.at(10*time.Minute, func() error { _, err := c.Cron.FireJob(ctx, made[0].ID, nil); return err })
	for minute := 12; minute < 40; minute++ {
		c.at(time.Duration(minute)*time.Minute+time.Second, func() error {
			asked, err := c.Turns.StopRequested(ctx, talk.Session, turn)
			if err != nil || !asked || !stopped.IsZero() {
				return err
			}
			stopped = c.env.Now()
			_, err = c.Turns.FinishTurn(ctx, talk.Session, turn, chat.TurnStopped, "")
			return err
		})
	}
	began := c.env.Now()
	c.env.RegisterWorkflowWithOptions(workflows.ServiceTrack, workflow.RegisterOptions{Name: workflows.NameServiceTrack})
	c.env.RegisterWorkflowWithOptions(func(ctx workflow.Context) error { // whose child may continue as new
		o := workflow.ChildWorkflowOptions{WorkflowID: workflows.TrackID, TaskQueue: workflows.TaskQueue}
		return workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, o), workflows.NameServiceTrack, workflows.ServiceTrackInput{}).Get(ctx, nil)
	}, workflow.RegisterOptions{Name: "server"})
	c.env.ExecuteWorkflow("server")
	require.NoError(t, c.env.GetWorkflowError())
	runs, err := c.Cron.JobRuns(ctx, made[0].ID, 10)
	require.NoError(t, err)
	require.Equal(t, 31*time.Minute, stopped.Sub(began).Truncate(time.Minute), "half an hour after its turn began")
	require.Equal(t, "timeout", runs[1].Outcome)
	require.Equal(t, "skipped", runs[0].Outcome, "the one after ten minutes came while it went on")
}

// quiet is an environment that logs nothing.
func quiet() *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	return newEnvironment(&suite)
}
