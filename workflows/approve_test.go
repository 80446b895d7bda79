package workflows_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metadata "go.temporal.io/api/sdk/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/workflows"
)

// approvalWait is how long questions stay open here.
const approvalWait = 7 * 24 * time.Hour

func asking(class chat.ToolClass, n int) turn.GenerateOutput {
	out := toolCalls(class, n)
	for i := range out.Calls {
		out.Calls[i].Ask, out.Calls[i].Summary = true, fmt.Sprint("rm ", i)
	}
	return out
}

// currentDetails are what an operator reads of a run.
func currentDetails(t *testing.T, env *testsuite.TestWorkflowEnvironment) string {
	t.Helper()
	value, err := env.QueryWorkflow("__temporal_workflow_metadata")
	require.NoError(t, err)
	var metadata metadata.WorkflowMetadata
	require.NoError(t, value.Get(&metadata))
	return metadata.GetCurrentDetails()
}

func TestTurn_WaitsForDaysUntilAPersonAnswers(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{asking(chat.ClassExec, 2), answered}}
	env := setup(t, w)
	var details string
	for day, id := range map[int]chat.CallID{3: ".0.0", 6: ".0.1"} {
		env.RegisterDelayedCallback(func() {
			if day == 3 {
				require.Empty(t, w.calls, "nothing runs before the answer")
				require.Equal(t, []chat.CallID{".0.0"}, w.asked, "one question after another, as the calls come")
				details = currentDetails(t, env)
			}
			w.answer(id)
			env.SignalWorkflow(workflows.SignalWake, nil)
		}, time.Duration(day)*24*time.Hour)
	}
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []chat.CallID{".0.0", ".0.1"}, w.calls)
	require.Empty(t, w.expired)
	require.Equal(t, chat.TurnDone, w.finished.State)
	require.Contains(t, details, "waiting for approval: Any · rm 0", "an operator sees what is waited for")
}

func TestTurn_SaysThatItWaitsForAnAnswerToItsQuestion(t *testing.T) {
	asks := asking(chat.ClassRead, 1)
	asks.Calls[0].Name, asks.Calls[0].Summary, asks.Calls[0].Inquires = "AskUser", "Which?", true
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{asks, answered}}
	env := setup(t, w)
	env.RegisterDelayedCallback(func() {
		value, err := env.QueryWorkflow("__temporal_workflow_metadata")
		require.NoError(t, err)
		var got metadata.WorkflowMetadata
		require.NoError(t, value.Get(&got))
		require.Contains(t, got.GetCurrentDetails(), "waiting for an answer: AskUser · Which?")
		w.answer(".0.0")
		env.SignalWorkflow(workflows.SignalWake, nil)
	}, 24*time.Hour)
	run(env)
	require.Equal(t, []chat.CallID{".0.0"}, w.calls)
}

func TestTurn_AWakeThatIsNoAnswerLeavesTheQuestionOpen(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{asking(chat.ClassExec, 1), answered}}
	env := setup(t, w)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalWake, nil) }, time.Hour)
	env.RegisterDelayedCallback(func() { w.answer(".0.7"); env.SignalWorkflow(workflows.SignalWake, nil) }, 2*time.Hour)
	env.RegisterDelayedCallback(func() {
		require.Equal(t, 2, w.peeks)
		require.Empty(t, w.calls)
		w.answer(".0.0")
		env.SignalWorkflow(workflows.SignalWake, nil)
	}, 3*time.Hour)
	run(env)
	require.Equal(t, []chat.CallID{".0.0"}, w.calls)
}

func TestTurn_DeniesInTheNameOfNobodyWhenTheTimeIsUp(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{asking(chat.ClassExec, 1), answered}}
	env := setup(t, w)
	began := env.Now()
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []chat.CallID{".0.0"}, w.expired)
	require.Equal(t, []chat.CallID{".0.0"}, w.calls, "the activity records the refusal")
	require.Equal(t, chat.TurnDone, w.finished.State)
	require.GreaterOrEqual(t, env.Now().Sub(began), approvalWait)
}

func TestTurn_OtherReadsGoOnWhileSomeWait(t *testing.T) {
	mixed := asking(chat.ClassRead, 12)
	mixed.Calls = append(mixed.Calls, toolCalls(chat.ClassRead, 12).Calls...)
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{mixed, answered}}
	env := setup(t, w)
	env.RegisterDelayedCallback(func() {
		require.Len(t, w.asked, 12, "all are asked at once")
		require.Len(t, w.calls, 12, "those that need no permission have run, though more wait than may run at once")
		w.answer(w.asked...)
		env.SignalWorkflow(workflows.SignalWake, nil)
	}, time.Hour)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Len(t, w.calls, 24)
	require.LessOrEqual(t, w.most, 8)
}

func TestTurn_AStopEndsTheWaiting(t *testing.T) {
	w := &world{waiting: 1, stopAfter: 1, decisions: []turn.GenerateOutput{asking(chat.ClassExec, 2), answered}}
	env := setup(t, w)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalWake, nil) }, time.Hour)
	run(env)
	require.Equal(t, chat.TurnStopped, w.finished.State)
	require.Empty(t, w.calls)
	require.Empty(t, w.abandoned, "finish gives the call its result")
	require.Len(t, w.asked, 1, "the next one is not asked about")
	require.Empty(t, w.expired)
}

func TestTurn_AQuestionThatWasAnsweredBeforeIsNotWaitedFor(t *testing.T) {
	w := &world{waiting: 1, settled: true, decisions: []turn.GenerateOutput{asking(chat.ClassExec, 1), answered}}
	env := setup(t, w)
	began := env.Now()
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Len(t, w.calls, 1)
	require.Less(t, env.Now().Sub(began), approvalWait)
}

func TestTurn_ACallThatCannotBeAskedAboutDoesNotRun(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{asking(chat.ClassExec, 1), answered}}
	w.askErr = temporal.NewNonRetryableApplicationError("broken", "internal", errors.New("broken"))
	env := setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Empty(t, w.calls)
	require.Equal(t, []chat.CallID{".0.0"}, w.abandoned, "it has a result all the same")
	require.Equal(t, chat.TurnDone, w.finished.State)
}
