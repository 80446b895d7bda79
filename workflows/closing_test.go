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
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{answered}, hooks: []string{hooks.MomentClosing}}
	env := setup(t, w)
	env.SetTestTimeout(2 * time.Minute)
	env.RegisterWorkflowWithOptions(workflows.Closing, workflow.RegisterOptions{Name: workflows.NameClosing})
	register := func(name string, fn any) { env.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name}) }
	ended, asked := make(chan struct{}), make(chan hooks.ConsultInput, 1)
	register("ended", func(context.Context) error { close(ended); return nil })
	register(activities.NameConsult, func(_ context.Context, in hooks.ConsultInput) (hooks.ConsultOutput, error) {
		asked <- in
		select { // a hook that takes its time
		case <-ended:
			return hooks.ConsultOutput{}, nil
		case <-time.After(time.Minute):
			t.Error("the turn waits for its hooks")
			return hooks.ConsultOutput{}, nil
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
	require.Equal(t, hooks.ConsultInput{Session: key, Turn: w.finished.Turn, Moment: hooks.MomentClosing}, <-asked)
}
