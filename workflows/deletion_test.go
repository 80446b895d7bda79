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
	"xbot/activities/deletion"
	"xbot/workflows"
)

// deletes runs DeletePerson over what its steps say, one after the other; the last is said for ever.
func deletes(t *testing.T, steps ...deletion.Output) (env *testsuite.TestWorkflowEnvironment, took time.Duration) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env = newEnvironment(&suite)
	env.RegisterWorkflowWithOptions(workflows.DeletePerson, workflow.RegisterOptions{Name: workflows.NameDeletePerson})
	n := 0
	step := func(_ context.Context, in deletion.Input) (deletion.Output, error) {
		require.EqualValues(t, 7, in.User)
		n++
		return steps[min(n, len(steps))-1], nil
	}
	env.RegisterActivityWithOptions(step, activity.RegisterOptions{Name: activities.NameDeletePerson})
	began := env.Now()
	env.ExecuteWorkflow(workflows.NameDeletePerson, workflows.DeletePersonInput{User: 7})
	require.True(t, env.IsWorkflowCompleted())
	return env, env.Now().Sub(began)
}

func TestDeletePerson_GoesOnAtOnceUntilItHasToWait(t *testing.T) {
	waits := deletion.Output{Conversations: 21, Left: 1, Waits: deletion.WaitsTurns, For: 1}
	env, took := deletes(t, waits, waits, deletion.Output{Conversations: 21, Left: 20}, deletion.Output{Conversations: 21}, deletion.Output{Done: true})
	require.NoError(t, env.GetWorkflowError())
	require.InDelta(t, 3, took.Seconds(), 0.5, "a second, then two")
	require.Equal(t, "**deleted**", currentDetails(t, env))
}

func TestDeletePerson_SaysWhatItWaitsForAndContinuesAsNew(t *testing.T) {
	env, took := deletes(t, deletion.Output{Conversations: 1, Waits: deletion.WaitsFiles, For: 2})
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &next)
	require.Equal(t, "**deleting** · 0 of 1 conversation left · waits for 2 files to be removed from their runners", currentDetails(t, env))
	require.Greater(t, took, 4*time.Hour, "a runner that is away is not asked all the time")
}
