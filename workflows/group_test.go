package workflows_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/agents"
	"xbot/internal/chat"
	"xbot/workflows"
)

func TestGroupChat_WhoSpeaksIsListedWithThePersonWhoseChatItIs(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	var speaker temporal.SearchAttributes
	env.RegisterWorkflowWithOptions(workflows.GroupChat, workflow.RegisterOptions{Name: workflows.NameGroupChat})
	env.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ workflows.SubagentInput) error {
		speaker = workflow.GetTypedSearchAttributes(ctx)
		return nil
	}, workflow.RegisterOptions{Name: workflows.NameSubagent})
	looks := 0
	env.RegisterActivityWithOptions(func(context.Context, agents.StepGroupInput) (agents.StepGroupOutput, error) {
		if looks++; looks > 1 {
			return agents.StepGroupOutput{Over: true}, nil
		}
		ref := chat.SubagentRef{Session: "agent:main:subagent:1", Parent: "agent:main:web:thread:1", Role: "coder", Instance: "g1-1"}
		return agents.StepGroupOutput{Asked: 1, Speaker: &ref, Name: "coder", Round: 1, Rounds: 3}, nil
	}, activity.RegisterOptions{Name: activities.NameStepGroup})
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalWake, nil) }, 1)
	env.ExecuteWorkflow(workflows.NameGroupChat, workflows.GroupChatInput{Group: "g1", Attributes: true, User: "alice"})
	require.NoError(t, env.GetWorkflowError())
	user, ok := speaker.GetKeyword(workflows.AttrUser)
	require.True(t, ok)
	require.Equal(t, "alice", user)
}
