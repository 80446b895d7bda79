package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/titles"
	"xbot/activities/turn"
	"xbot/internal/fault"
	"xbot/workflows"
)

func TestTurn_EndsWithoutWaitingForTheTitle(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{answered}, title: true}
	env := setup(t, w)
	env.SetTestTimeout(2 * time.Minute)
	env.RegisterWorkflowWithOptions(workflows.Title, workflow.RegisterOptions{Name: workflows.NameTitle})
	register := func(name string, fn any) { env.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name}) }
	ended, asked := make(chan struct{}), make(chan titles.Input, 1)
	register("ended", func(context.Context) error { close(ended); return nil })
	register(activities.NameTitle, func(_ context.Context, in titles.Input) (titles.Output, error) {
		asked <- in
		select { // a model that takes its time
		case <-ended:
		case <-time.After(time.Minute):
			t.Error("the turn waits for the title")
		}
		return titles.Output{Given: true}, nil
	})
	chain := func(ctx workflow.Context) error { // what follows the turn
		if err := workflow.ExecuteChildWorkflow(ctx, workflows.NameTurn, workflows.TurnInput{Session: key}).Get(ctx, nil); err != nil {
			return err
		}
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Hour})
		return workflow.ExecuteActivity(ctx, "ended").Get(ctx, nil)
	}
	env.RegisterWorkflow(chain)
	env.ExecuteWorkflow(chain)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, titles.Input{Session: key, Turn: w.finished.Turn}, <-asked)
}

func TestTitle_IsTriedAFewTimesAndFailsNothing(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	tries := 0
	env.RegisterActivityWithOptions(func(ctx context.Context, _ titles.Input) (titles.Output, error) {
		tries++
		return titles.Output{}, activities.Failure(ctx, fault.Limited(time.Second, "away"))
	}, activity.RegisterOptions{Name: activities.NameTitle})
	env.ExecuteWorkflow(workflows.Title, workflows.TitleInput{Session: key})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, titles.MaxAttempts, tries)
}
