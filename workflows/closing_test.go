package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/hooks"
	"xbot/activities/turn"
	"xbot/workflows"
)

func TestTurn_EndsWithoutWaitingForHooksThatAreToldOfItsEnd(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{answered}, hooks: []string{hooks.PointClosing}}
	env := setup(t, w)
	env.SetTestTimeout(2 * time.Minute)
	env.RegisterWorkflowWithOptions(workflows.Closing, workflow.RegisterOptions{Name: workflows.NameClosing})
	register := func(name string, fn any) { env.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name}) }
	ended, asked := make(chan struct{}), make(chan hooks.RunInput, 1)
	register("ended", func(context.Context) error { close(ended); return nil })
	register(activities.NameRunHooks, func(_ context.Context, in hooks.RunInput) (hooks.RunOutput, error) {
		asked <- in
		select { // a hook that takes its time
		case <-ended:
			return hooks.RunOutput{}, nil
		case <-time.After(time.Minute):
			t.Error("the turn waits for its hooks")
			return hooks.RunOutput{}, nil
		}
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
	require.Equal(t, hooks.RunInput{Session: key, Turn: w.finished.Turn, Point: hooks.PointClosing}, <-asked)
}
