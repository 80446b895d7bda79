package workflows_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/agents"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/workflows"
)

// agent stands in for the activities of a subagent that has nothing to do but its waiting tasks.
type agent struct {
	waiting  int // tasks that no turn has claimed
	claimed  int
	unloaded bool
	late     int // how often it was asked to unload because nobody needed it
}

func (a *agent) claim(context.Context, turn.ClaimInput) (turn.ClaimOutput, error) {
	if a.waiting == 0 {
		return turn.ClaimOutput{}, nil
	}
	a.waiting--
	a.claimed++
	a.unloaded = false
	return turn.ClaimOutput{Claimed: true, MaxSteps: 1}, nil
}

func (a *agent) rest(_ context.Context, in agents.UnloadInput) (agents.UnloadOutput, error) {
	if in.Idle {
		a.late++
		a.unloaded = a.waiting == 0
	}
	return agents.UnloadOutput{Unloaded: a.unloaded}, nil
}

func (a *agent) env(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := newEnvironment(&suite)
	env.RegisterWorkflowWithOptions(workflows.Subagent, workflow.RegisterOptions{Name: workflows.NameSubagent})
	register := func(name string, fn any) { env.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name}) }
	register(activities.NameClaim, a.claim)
	register(activities.NameUnloadSubagent, a.rest)
	register(activities.NamePeek, func(context.Context, turn.PeekInput) (turn.PeekOutput, error) {
		return turn.PeekOutput{}, nil
	})
	register(activities.NameGenerate, func(context.Context, turn.GenerateInput) (turn.GenerateOutput, error) {
		return turn.GenerateOutput{Finish: "stop"}, nil
	})
	register(activities.NameFinish, func(context.Context, turn.FinishInput) (turn.FinishOutput, error) {
		return turn.FinishOutput{Pending: a.waiting > 0}, nil
	})
	return env
}

func (a *agent) run(env *testsuite.TestWorkflowEnvironment, once bool) error {
	env.ExecuteWorkflow(workflows.NameSubagent, workflows.SubagentInput{Session: "agent:main:subagent:1", Once: once})
	return env.GetWorkflowError()
}

func TestSubagent_UnloadsAfterHalfAnHourWithoutATask(t *testing.T) {
	a := &agent{}
	env := a.env(t)
	began := env.Now()
	require.NoError(t, a.run(env, false))
	require.Equal(t, 30*time.Minute, env.Now().Sub(began).Round(time.Second))
	require.Equal(t, 1, a.late)
	require.True(t, a.unloaded)
}

func TestSubagent_AWakeWithoutATaskBeginsTheHalfHourAnew(t *testing.T) {
	a := &agent{}
	env := a.env(t)
	began := env.Now()
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalWake, nil) }, 29*time.Minute)
	require.NoError(t, a.run(env, false))
	require.Equal(t, 59*time.Minute, env.Now().Sub(began).Round(time.Second))
}

func TestSubagent_CarriesOutATaskInARunOfItsOwn(t *testing.T) {
	a := &agent{}
	env := a.env(t)
	env.RegisterDelayedCallback(func() {
		a.waiting = 1
		env.SignalWorkflow(workflows.SignalWake, nil)
	}, 20*time.Minute)
	err := a.run(env, false)
	require.True(t, workflow.IsContinueAsNewError(err), "%v", err)
	require.Equal(t, 1, a.claimed)
	require.Zero(t, a.late)
}

func TestSubagent_IsNeverUnloadedWithATask(t *testing.T) {
	a := &agent{}
	env := a.env(t)
	env.RegisterDelayedCallback(func() { a.waiting = 1 }, 10*time.Minute) // its wake was lost
	err := a.run(env, false)
	require.True(t, workflow.IsContinueAsNewError(err), "%v", err)
	require.Equal(t, 1, a.claimed)
	require.False(t, a.unloaded)
}

func TestSubagent_ThatWasUnloadedEndsWithItsWake(t *testing.T) {
	a := &agent{}
	env := a.env(t)
	began := env.Now()
	env.RegisterDelayedCallback(func() {
		a.unloaded = true
		env.SignalWorkflow(workflows.SignalWake, nil)
	}, time.Minute)
	require.NoError(t, a.run(env, false))
	require.Equal(t, time.Minute, env.Now().Sub(began).Round(time.Second))
}

func TestSubagent_ThatAnswersOnceEndsThen(t *testing.T) {
	a := &agent{waiting: 1}
	require.NoError(t, a.run(a.env(t), true))
	require.Equal(t, 1, a.claimed)
	a = &agent{}
	require.NoError(t, a.run(a.env(t), true), "there was nothing left to do")
}

func TestSubagentID_IsReadableAndOneForEachName(t *testing.T) {
	parent := chat.SessionKey("agent:main:web:thread:1")
	require.Equal(t, "subagent/agent:main:web:thread:1/coder:a", workflows.SubagentID(chat.SubagentRef{Parent: parent, Role: "coder", Instance: "a", Call: "t.0.0"}))
	require.Equal(t, "turn/agent:main:web:thread:1/call/t.0.1", workflows.SubagentID(chat.SubagentRef{Parent: parent, Role: "coder", Call: "t.0.1"}))
}
