package workflows_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/workflows"
)

// quickTool stands in for the tool, and notes its attempts.
type quickTool struct {
	mu     sync.Mutex
	local  func() (turn.ToolOutput, error) // what local attempts answer
	locals []chat.CallID
	others []chat.CallID
	bounds []time.Duration // of local attempts
}

func (q *quickTool) run(ctx context.Context, in turn.ToolInput) (turn.ToolOutput, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !activity.GetInfo(ctx).IsLocalActivity {
		q.others = append(q.others, in.Call)
		if in.Within != 0 {
			return turn.ToolOutput{}, errors.New("an activity has no bound")
		}
		return turn.ToolOutput{}, nil
	}
	q.locals, q.bounds = append(q.locals, in.Call), append(q.bounds, in.Within)
	if q.local == nil {
		return turn.ToolOutput{}, nil
	}
	return q.local()
}

// quickTurn is a turn with two calls of a tool that is usually quick.
func quickTurn(t *testing.T, class chat.ToolClass, q *quickTool) (*world, *testsuite.TestWorkflowEnvironment) {
	t.Helper()
	decision := toolCalls(class, 2)
	for i := range decision.Calls {
		decision.Calls[i].Quick = true
	}
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{decision, answered}}
	w.attempt = q.run
	return w, setup(t, w)
}

func TestQuick_ACallThatEndsInItsTimeNeedsNoActivity(t *testing.T) {
	q := &quickTool{}
	w, env := quickTurn(t, chat.ClassExec, q)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, chat.TurnDone, w.finished.State)
	require.Len(t, q.locals, 2)
	require.Empty(t, q.others)
	for _, within := range q.bounds {
		require.Positive(t, within)
		require.Less(t, within, time.Second, "a stop reaches the turn within a second")
	}
}

func TestQuick_WhatDoesNotEndWellGoesOnAsAnActivity(t *testing.T) {
	for name, local := range map[string]func() (turn.ToolOutput, error){
		"its time is used up": func() (turn.ToolOutput, error) { return turn.ToolOutput{Unfinished: true}, nil },
		"Postgres is away":    func() (turn.ToolOutput, error) { return turn.ToolOutput{}, errors.New("connection refused") },
		"the worker stops":    func() (turn.ToolOutput, error) { return turn.ToolOutput{}, temporal.NewCanceledError() },
		"it panics":           func() (turn.ToolOutput, error) { panic("odd") },
	} {
		t.Run(name, func(t *testing.T) {
			q := &quickTool{local: local}
			w, env := quickTurn(t, chat.ClassExec, q)
			run(env)
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, chat.TurnDone, w.finished.State)
			require.Equal(t, q.locals, q.others, "each call is tried once, and then is one activity")
			require.Len(t, q.others, 2)
			require.Empty(t, w.abandoned)
		})
	}
}

func TestQuick_ACallThatCannotBeRepeatedIsAnActivity(t *testing.T) {
	q := &quickTool{}
	_, env := quickTurn(t, chat.ClassOnce, q)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Empty(t, q.locals)
	require.Len(t, q.others, 2)
}

func TestQuick_ARunThatBeganBeforeKeepsItsActivities(t *testing.T) {
	q := &quickTool{}
	_, env := quickTurn(t, chat.ClassExec, q)
	env.OnGetVersion("quick calls are local activities", workflow.DefaultVersion, workflow.Version(2)).Return(workflow.DefaultVersion)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Empty(t, q.locals)
	require.Len(t, q.others, 2)
}

// quickModel is a turn of a model that usually answers quickly: the first call is tried, and local says what comes of it.
func quickModel(t *testing.T, local func(*world) (turn.GenerateOutput, error)) (*world, *testsuite.TestWorkflowEnvironment) {
	t.Helper()
	w := &world{waiting: 1, quick: true, decisions: []turn.GenerateOutput{toolCalls(chat.ClassExec, 1), answered}}
	for i := range w.decisions {
		w.decisions[i].Quick = true
	}
	w.try = local
	return w, setup(t, w)
}

func TestQuick_ACallOfAModelThatEndsInItsTimeNeedsNoActivity(t *testing.T) {
	w, env := quickModel(t, nil)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, chat.TurnDone, w.finished.State)
	require.Equal(t, []bool{true, true}, w.tried)
	for _, in := range w.generations {
		require.Positive(t, in.Within)
		require.Less(t, in.Within, time.Second, "a stop reaches the turn within a second")
	}
}

func TestQuick_WhatAModelDoesNotEndInItsTimeAnActivityTakesOver(t *testing.T) {
	for name, local := range map[string]func(*world) (turn.GenerateOutput, error){
		"its time is used up": func(*world) (turn.GenerateOutput, error) { return turn.GenerateOutput{Unfinished: true}, nil },
		"Postgres is away": func(*world) (turn.GenerateOutput, error) {
			return turn.GenerateOutput{}, errors.New("connection refused")
		},
		"it panics": func(*world) (turn.GenerateOutput, error) { panic("odd") },
	} {
		t.Run(name, func(t *testing.T) {
			w, env := quickModel(t, local)
			run(env)
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, chat.TurnDone, w.finished.State)
			require.Equal(t, []bool{true, false, true, false}, w.tried, "each call is tried once, and then is an activity")
			require.Zero(t, w.generations[1].Within, "which has no bound")
		})
	}
}

func TestQuick_AStopThatComesWhileAModelIsTriedEndsTheAttempt(t *testing.T) {
	var env *testsuite.TestWorkflowEnvironment
	var w *world
	seen := make(chan struct{})
	w, env = quickModel(t, func(w *world) (turn.GenerateOutput, error) {
		w.mu.Lock()
		w.generates, w.stopAfter = 1, 1
		w.mu.Unlock()
		env.SignalWorkflow(workflows.SignalWake, nil)
		<-seen // the turn knows of the stop before the attempt ends
		return turn.GenerateOutput{Unfinished: true}, nil
	})
	env.SetOnLocalActivityCompletedListener(func(info *activity.Info, _ converter.EncodedValue, _ error) {
		if info.ActivityType.Name == activities.NamePeek {
			close(seen)
		}
	})
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, chat.TurnStopped, w.finished.State)
	require.Len(t, w.generations, 2)
	require.True(t, w.generations[1].Stop, "what was written is kept, and nothing goes on")
	require.Equal(t, []bool{true, true}, w.tried)
}

func TestQuick_ATurnThatEndedBeforeIsFinishedAgainAndAsksNobody(t *testing.T) {
	w, env := quickModel(t, nil)
	w.ended, w.pending = chat.TurnStopped, true
	run(env)
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &next, "messages wait")
	require.Equal(t, chat.TurnStopped, w.finished.State)
	require.Empty(t, w.generations)
}
