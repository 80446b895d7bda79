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
	"xbot/activities/background"
	"xbot/workflows"
)

// shell stands in for the activities of Command.
type shell struct {
	parcel

	ran  []int // how many files were there when it ran
	said []background.BangInput
}

func (s *shell) RunBang(context.Context, background.BangInput) (background.BangOutput, error) {
	s.ran = append(s.ran, len(s.fetched))
	return background.BangOutput{State: "exited"}, nil
}

func (s *shell) EndBang(_ context.Context, in background.BangInput) error {
	s.said = append(s.said, in)
	return nil
}

func (s *shell) env(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := newEnvironment(&suite)
	env.RegisterWorkflowWithOptions(workflows.Command, workflow.RegisterOptions{Name: workflows.NameCommand})
	for name, do := range map[string]any{
		activities.NameUnpack: s.Unpack, activities.NameFetchFile: s.FetchFile, activities.NameEndFetch: s.EndFetch,
		activities.NameRunBang: s.RunBang, activities.NameEndBang: s.EndBang,
	} {
		env.RegisterActivityWithOptions(do, activity.RegisterOptions{Name: name})
	}
	return env
}

func TestCommand_RunsOnceItsFilesAreThereOrCannotBeHad(t *testing.T) {
	s := &shell{parcel: parcel{gone: 2}}
	env := s.env(t)
	env.ExecuteWorkflow(workflows.NameCommand, workflows.BangInput{Inbox: 7, Files: 3})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []int{2}, s.ran)
	require.Equal(t, 1, s.ended)
	require.Empty(t, s.said, "it answers itself")
}

func TestCommand_CancelledWhileItWaitsForItsFilesIsAnsweredAndNotRun(t *testing.T) {
	s := &shell{parcel: parcel{gone: 2}}
	env := s.env(t)
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
	env.ExecuteWorkflow(workflows.NameCommand, workflows.BangInput{Inbox: 7, Files: 3})
	require.NoError(t, env.GetWorkflowError())
	require.Empty(t, s.ran)
	require.Equal(t, []background.BangInput{{Inbox: 7, Stopped: true}}, s.said)
}
