package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock" //nolint:depguard // the test environment of Temporal replaces activities by mocks
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/background"
	"xbot/activities/compress"
	"xbot/activities/files"
	"xbot/activities/hooks"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/workflows"
)

// givenUp is the error of a call in which worker processes crashed.
var givenUp = temporal.NewNonRetryableApplicationError("2 worker processes crashed while it ran", activities.CrashedType, nil)

// giveUp makes all calls of an activity fail, since worker processes crashed in them. out is the zero value of its output; nil if it has none.
func giveUp(env *testsuite.TestWorkflowEnvironment, name string, out any) {
	call := env.OnActivity(name, mock.Anything, mock.Anything)
	if out == nil {
		call.Return(givenUp)
		return
	}
	call.Return(out, givenUp)
}

// TestGivenUp_ATurnEnds gives up each activity of a turn whose error ends the turn.
func TestGivenUp_ATurnEnds(t *testing.T) {
	waits := func(ctx context.Context, _ chat.CallID) error { <-ctx.Done(); return ctx.Err() }
	for activity, c := range map[string]struct {
		world *world
		out   any
		wake  bool
	}{
		activities.NameGenerate:    {&world{}, turn.GenerateOutput{}, false},
		activities.NamePeek:        {&world{decisions: []turn.GenerateOutput{toolCalls(chat.ClassExec, 1)}, tool: waits}, turn.PeekOutput{}, true},
		activities.NameSteer:       {&world{steering: 1, decisions: []turn.GenerateOutput{answered}}, turn.SteerOutput{}, false},
		activities.NameTurnCommand: {&world{control: "rewind"}, nil, false},
		activities.NameCompress:    {&world{control: "compact"}, compress.Output{}, false},
	} {
		t.Run(activity, func(t *testing.T) {
			w := c.world
			w.waiting = 1
			env := setup(t, w)
			giveUp(env, activity, c.out)
			if c.wake {
				env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalWake, nil) }, time.Second)
			}
			run(env)
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, chat.TurnFailed, w.finished.State)
			require.Equal(t, i18n.Crashed, w.finished.Say)
		})
	}
}

// TestGivenUp_ACallEndsWithAnError gives up each activity of a call. The turn continues, and the call has one result.
func TestGivenUp_ACallEndsWithAnError(t *testing.T) {
	asks, hooked := toolCalls(chat.ClassExec, 1), toolCalls(chat.ClassExec, 1)
	asks.Calls[0].Ask, hooked.Calls[0].Hook = true, true
	for activity, c := range map[string]struct {
		step turn.GenerateOutput
		out  any
		want turn.AbandonInput
		ran  int
	}{
		activities.NameTool:     {toolCalls(chat.ClassExec, 1), turn.ToolOutput{}, turn.AbandonInput{Broken: true, Crashed: true}, 0},
		activities.NameDelegate: {toolCalls(chat.ClassAgent, 1), turn.DelegateOutput{}, turn.AbandonInput{Broken: true, Crashed: true}, 0},
		activities.NameAsk:      {asks, turn.AskOutput{}, turn.AbandonInput{Broken: true, Crashed: true}, 0},
		activities.NameExpire:   {asks, nil, turn.AbandonInput{Broken: true, Crashed: true}, 0},
		activities.NameRunHooks: {hooked, hooks.RunOutput{}, turn.AbandonInput{Hook: true, Crashed: true}, 0},
	} {
		t.Run(activity, func(t *testing.T) {
			w := &world{waiting: 1, decisions: []turn.GenerateOutput{c.step, answered}}
			env := setup(t, w)
			unused(env, activity)
			giveUp(env, activity, c.out)
			var abandoned []turn.AbandonInput
			env.OnActivity(activities.NameAbandon, mock.Anything, mock.Anything).Return(func(_ context.Context, in turn.AbandonInput) error {
				abandoned = append(abandoned, in)
				return nil
			})
			run(env)
			require.NoError(t, env.GetWorkflowError())
			c.want.Call = chat.NewCallID("", 0, 0)
			require.Equal(t, []turn.AbandonInput{c.want}, abandoned)
			require.Empty(t, w.calls, "the call did not run")
			require.Equal(t, chat.TurnDone, w.finished.State)
			require.Equal(t, 2, w.generates, "the model reads the result")
		})
	}
}

// TestAbandoned_ACallNamesAFaultOnlyWhereThereWasOne ends the activity of a call that is made once in each way that it can end without a result. The
// model reads of a fault in xbot, or else that the outcome is unknown.
func TestAbandoned_ACallNamesAFaultOnlyWhereThereWasOne(t *testing.T) {
	ended := func(kind fault.Kind) error {
		return temporal.NewNonRetryableApplicationError("x", string(kind), nil)
	}
	for name, c := range map[string]struct {
		cause error
		stop  bool
		want  turn.AbandonInput
	}{
		"a fault in xbot":    {ended(fault.Internal), false, turn.AbandonInput{Broken: true}},
		"a panic":            {ended(activities.PanicType), false, turn.AbandonInput{Broken: true}},
		"crashes of workers": {givenUp, false, turn.AbandonInput{Broken: true, Crashed: true}},
		"Postgres away when the result was recorded": {ended(fault.Unavailable), false, turn.AbandonInput{}},
		"the worker was lost":                        {temporal.NewTimeoutError(enums.TIMEOUT_TYPE_HEARTBEAT, nil), false, turn.AbandonInput{}},
		"it took too long":                           {temporal.NewTimeoutError(enums.TIMEOUT_TYPE_START_TO_CLOSE, nil), false, turn.AbandonInput{}},
		"a stop while Postgres was away":             {temporal.NewCanceledError(), true, turn.AbandonInput{}},
		"a stop of a lost worker":                    {temporal.NewTimeoutError(enums.TIMEOUT_TYPE_HEARTBEAT, nil), true, turn.AbandonInput{}},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{waiting: 1, decisions: []turn.GenerateOutput{toolCalls(chat.ClassExec, 1), answered}, interrupt: ended(fault.Internal)}
			w.tool = func(ctx context.Context, _ chat.CallID) error {
				if c.stop {
					<-ctx.Done()
				}
				return c.cause
			}
			env := setup(t, w)
			var abandoned []turn.AbandonInput
			env.OnActivity(activities.NameAbandon, mock.Anything, mock.Anything).Return(func(_ context.Context, in turn.AbandonInput) error {
				abandoned = append(abandoned, in)
				return nil
			})
			if c.stop {
				w.stopAfter = 1
				env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalWake, nil) }, time.Second)
			}
			run(env)
			require.NoError(t, env.GetWorkflowError())
			c.want.Call = chat.NewCallID("", 0, 0)
			require.Equal(t, []turn.AbandonInput{c.want}, abandoned)
		})
	}
}

// unused registers activities that setup leaves out.
func unused(env *testsuite.TestWorkflowEnvironment, name string) {
	switch name {
	case activities.NameDelegate:
		env.RegisterActivityWithOptions(func(context.Context, turn.ToolInput) (turn.DelegateOutput, error) { return turn.DelegateOutput{}, nil }, activity.RegisterOptions{Name: name})
	case activities.NameRunHooks:
		env.RegisterActivityWithOptions(func(context.Context, hooks.RunInput) (hooks.RunOutput, error) { return hooks.RunOutput{}, nil }, activity.RegisterOptions{Name: name})
	}
}

// TestGivenUp_ATurnContinuesWithoutWhatDecidesNothing gives up activities whose result a turn can do without.
func TestGivenUp_ATurnContinuesWithoutWhatDecidesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		world  *world
		giveUp string
		out    any
	}{
		"the record of an abandoned call":   {&world{decisions: []turn.GenerateOutput{toolCalls(chat.ClassExec, 1), answered}, tool: func(context.Context, chat.CallID) error { return givenUp }}, activities.NameAbandon, nil},
		"hooks of the message":              {&world{hooks: []string{hooks.PointOpening}, decisions: []turn.GenerateOutput{answered}}, activities.NameRunHooks, hooks.RunOutput{}},
		"hooks of the results of a step":    {&world{hooks: []string{hooks.PointBatch}, decisions: []turn.GenerateOutput{toolCalls(chat.ClassExec, 1), answered}}, activities.NameRunHooks, hooks.RunOutput{}},
		"hooks of a question to the person": {&world{settled: true, hooks: []string{hooks.PointQuestion}, decisions: []turn.GenerateOutput{needsPermission(), answered}}, activities.NameRunHooks, hooks.RunOutput{}},
	} {
		t.Run(name, func(t *testing.T) {
			w := c.world
			w.waiting = 1
			env := setup(t, w)
			unused(env, c.giveUp)
			giveUp(env, c.giveUp, c.out)
			run(env)
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, chat.TurnDone, w.finished.State)
		})
	}
}

// needsPermission is a step with a call that needs a person's permission.
func needsPermission() turn.GenerateOutput {
	out := toolCalls(chat.ClassExec, 1)
	out.Calls[0].Ask = true
	return out
}

// TestGivenUp_AStopIsCarriedOut gives up the activity that ends the command of a stopped call: the call is abandoned, which notes its kill.
func TestGivenUp_AStopIsCarriedOut(t *testing.T) {
	w := &world{waiting: 1, stopAfter: 1, decisions: []turn.GenerateOutput{toolCalls(chat.ClassExec, 1)}}
	w.tool = func(ctx context.Context, _ chat.CallID) error { <-ctx.Done(); return givenUp }
	env := setup(t, w)
	giveUp(env, activities.NameInterrupt, nil)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalWake, nil) }, time.Second)
	run(env)
	require.Equal(t, chat.TurnStopped, w.finished.State)
	require.Len(t, w.abandoned, 1)
}

// TestGivenUp_ARunEndsAndItsRowWaits gives up activities without which a workflow cannot continue: the run fails, and the relay starts it again for as
// long as its row waits. Until a day has passed the call is not tried.
func TestGivenUp_ARunEndsAndItsRowWaits(t *testing.T) {
	for name, c := range map[string]struct {
		workflow any
		input    any
		giveUp   []string
	}{
		workflows.NameTurn:           {workflows.Turn, workflows.TurnInput{Session: key}, []string{activities.NameClaim}},
		workflows.NameSubagent:       {workflows.Subagent, workflows.SubagentInput{Session: key}, []string{activities.NameUnloadSubagent}},
		workflows.NameDeliver:        {workflows.Deliver, workflows.DeliverInput{Session: key}, []string{activities.NameNextDelivery}},
		workflows.NameFetch:          {workflows.Fetch, workflows.FetchInput{Inbox: 7}, []string{activities.NameUnpack, activities.NameEndFetch}},
		workflows.NameCommand:        {workflows.Command, workflows.BangInput{Inbox: 7}, []string{activities.NameEndBang}},
		workflows.NameBackground:     {workflows.Background, workflows.BackgroundInput{Call: "c"}, []string{activities.NameLose}},
		workflows.NameGroupChat:      {workflows.GroupChat, workflows.GroupChatInput{Group: "g"}, []string{activities.NameStepGroup}},
		workflows.NameServiceTrack:   {workflows.ServiceTrack, workflows.ServiceTrackInput{}, []string{activities.NameAdvanceTrack}},
		workflows.NameMemorize:       {workflows.Memorize, workflows.MemorizeInput{Job: 1}, []string{activities.NameGiveUpMemorize}},
		workflows.NameDeletePerson:   {workflows.DeletePerson, workflows.DeletePersonInput{User: 1}, []string{activities.NameDeletePerson}},
		workflows.NameMigrateStorage: {workflows.MigrateStorage, workflows.MigrateStorageInput{Migration: 1}, []string{activities.NameMoveFiles}},
	} {
		for _, one := range c.giveUp {
			t.Run(name+" "+one, func(t *testing.T) {
				var suite testsuite.WorkflowTestSuite
				env := newEnvironment(&suite)
				env.RegisterWorkflowWithOptions(c.workflow, workflow.RegisterOptions{Name: name})
				// The other activities of the run succeed with nothing, and those whose failure leads to the one under test fail.
				fails := map[string]bool{one: true, activities.NameRunBang: true, activities.NameWatch: true, activities.NameMemorize: true}
				for _, a := range []string{
					activities.NameClaim, activities.NameUnloadSubagent, activities.NameNextDelivery, activities.NameUnpack, activities.NameEndFetch, activities.NameRunBang,
					activities.NameEndBang, activities.NameWatch, activities.NameLose, activities.NameStepGroup, activities.NameAdvanceTrack, activities.NameMemorize,
					activities.NameGiveUpMemorize, activities.NameDeletePerson, activities.NameMoveFiles,
				} {
					env.RegisterActivityWithOptions(func(context.Context, any) (map[string]any, error) {
						if fails[a] {
							return nil, givenUp
						}
						return map[string]any{}, nil
					}, activity.RegisterOptions{Name: a})
				}
				env.ExecuteWorkflow(name, c.input)
				require.True(t, env.IsWorkflowCompleted())
				var failure *temporal.ApplicationError
				require.ErrorAs(t, env.GetWorkflowError(), &failure)
				require.Equal(t, activities.CrashedType, failure.Type())
			})
		}
	}
}

// TestGivenUp_ACommandRunsWithoutItsFiles gives up the list of the files that came with a command.
func TestGivenUp_ACommandRunsWithoutItsFiles(t *testing.T) {
	for _, name := range []string{activities.NameUnpack, activities.NameEndFetch} {
		t.Run(name, func(t *testing.T) {
			s := &shell{}
			env := s.env(t)
			if name == activities.NameUnpack {
				giveUp(env, name, files.UnpackOutput{})
			} else {
				giveUp(env, name, nil)
			}
			env.ExecuteWorkflow(workflows.NameCommand, workflows.BangInput{Inbox: 7, Files: 3})
			require.NoError(t, env.GetWorkflowError())
			require.Len(t, s.ran, 1)
		})
	}
}

// TestGivenUp_ATurnWaitsForItsProviderWithoutHaste gives up the activity that brings the next attempt forward when a person writes.
func TestGivenUp_ATurnWaitsForItsProviderWithoutHaste(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{{Wait: "HTTP 503"}, answered}}
	asked := make(chan struct{})
	w.generate = func(ctx context.Context, _ int) error {
		if w.generations[len(w.generations)-1].Waiting {
			select {
			case <-asked:
			case <-ctx.Done():
			}
		}
		return nil
	}
	env := setup(t, w)
	env.RegisterActivityWithOptions(func(context.Context, turn.HastenInput) (turn.HastenOutput, error) {
		close(asked)
		return turn.HastenOutput{}, givenUp
	}, activity.RegisterOptions{Name: activities.NameHasten})
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalWake, nil) }, time.Second)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, chat.TurnDone, w.finished.State)
	require.Equal(t, 2, w.generates)
}

// TestGivenUp_AKilledTaskIsKilledByTheNextRun gives up the record of a kill: the run fails, and the next one finds the task.
func TestGivenUp_AKilledTaskIsKilledByTheNextRun(t *testing.T) {
	w := &work{watch: func(ctx context.Context) (background.WatchOutput, error) {
		<-ctx.Done()
		return background.WatchOutput{}, ctx.Err()
	}}
	env := w.setup(t)
	giveUp(env, activities.NameNoteKill, nil)
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Second)
	env.ExecuteWorkflow(workflows.NameBackground, workflows.BackgroundInput{Call: "c"})
	var failure *temporal.ApplicationError
	require.ErrorAs(t, env.GetWorkflowError(), &failure)
	require.Equal(t, activities.CrashedType, failure.Type())
	require.Zero(t, w.lost, "the task is not lost")
}
