package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock" //nolint:depguard // arguments of the SDK's test environment
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/workflows"
)

// shown follows what a turn says that it waits for. An empty value says that it waits for nothing.
func shown(env *testsuite.TestWorkflowEnvironment) <-chan string {
	env.SetTestTimeout(time.Minute)
	values := make(chan string, 100) // more than a test sets
	env.OnUpsertTypedSearchAttributes(mock.Anything).Run(func(args mock.Arguments) {
		set, ok := args[0].(temporal.SearchAttributes)
		if value, waits := set.GetKeyword(workflows.AttrWaits); waits {
			values <- value
		} else if ok && set.Size() == 0 { // it is the only one that is taken away alone
			values <- ""
		}
	}).Return(nil)
	return values
}

func showing(env *testsuite.TestWorkflowEnvironment) {
	env.ExecuteWorkflow(workflows.NameTurn, workflows.TurnInput{Session: key, Attributes: true, Waits: true})
}

func TestTurn_IsFoundWaitingForARunnerUntilThatIsThere(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{toolCalls(chat.ClassExec, 1), answered}}
	env := setup(t, w)
	values := shown(env)
	w.tool = func(_ context.Context, id chat.CallID) error {
		env.SignalWorkflow(turn.SignalRunner, turn.RunnerSignal{Call: id, Away: "box"})
		require.Equal(t, workflows.WaitsRunner, <-values)
		env.SignalWorkflow(turn.SignalRunner, turn.RunnerSignal{Call: id, Away: "box"}) // another attempt
		env.SignalWorkflow(turn.SignalRunner, turn.RunnerSignal{Call: id})
		require.Empty(t, <-values)
		return nil
	}
	showing(env)
	require.NoError(t, env.GetWorkflowError())
	require.Empty(t, values)
}

func TestTurn_AWaitForARunnerEndsWithItsCall(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{toolCalls(chat.ClassExec, 1), answered}}
	env := setup(t, w)
	values := shown(env)
	w.tool = func(_ context.Context, id chat.CallID) error {
		env.SignalWorkflow(turn.SignalRunner, turn.RunnerSignal{Call: id, Away: "box"})
		require.Equal(t, workflows.WaitsRunner, <-values)
		return nil // its worker was killed before it could tell
	}
	w.generate = func(_ context.Context, step int) error {
		if step == 1 {
			require.Empty(t, <-values)
			env.SignalWorkflow(turn.SignalRunner, turn.RunnerSignal{Call: w.calls[0], Away: "box"}) // comes late
		}
		return nil
	}
	showing(env)
	require.NoError(t, env.GetWorkflowError())
	require.Empty(t, values)
}

func TestTurn_IsFoundWaitingForItsProvider(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{{Wait: "network"}, {Steer: true}, answered}}
	env := setup(t, w)
	values := shown(env)
	showing(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, workflows.WaitsModel, <-values)
	require.Empty(t, <-values)
	require.Empty(t, values)
}

func TestTurn_APlainOneNeverWaits(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{toolCalls(chat.ClassExec, 1), answered}}
	env := setup(t, w)
	values := shown(env)
	env.OnGetVersion(mock.Anything, workflow.DefaultVersion, workflow.Version(1)).Panic("a marker is an event")
	showing(env)
	require.NoError(t, env.GetWorkflowError())
	require.Empty(t, values)
}
