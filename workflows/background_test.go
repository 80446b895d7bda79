package workflows_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/background"
	"xbot/internal/chat"
	"xbot/workflows"
)

// work stands in for the activities of workflows beside turns.
type work struct {
	watch func(ctx context.Context) (background.WatchOutput, error)
	bang  func(ctx context.Context) (background.BangOutput, error)

	watched, noted, lost, ran, answered int
}

func (w *work) Watch(ctx context.Context, _ background.WatchInput) (background.WatchOutput, error) {
	w.watched++
	return w.watch(ctx)
}
func (w *work) NoteKill(context.Context, background.WatchInput) error { w.noted++; return nil }
func (w *work) Lose(context.Context, background.WatchInput) error     { w.lost++; return nil }
func (w *work) RunBang(ctx context.Context, _ background.BangInput) (background.BangOutput, error) {
	w.ran++
	return w.bang(ctx)
}
func (w *work) EndBang(context.Context, background.BangInput) error { w.answered++; return nil }

func (w *work) setup(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := newEnvironment(&suite)
	env.RegisterWorkflowWithOptions(workflows.Background, workflow.RegisterOptions{Name: workflows.NameBackground})
	env.RegisterWorkflowWithOptions(workflows.Command, workflow.RegisterOptions{Name: workflows.NameCommand})
	for name, fn := range map[string]any{
		activities.NameWatch: w.Watch, activities.NameNoteKill: w.NoteKill, activities.NameLose: w.Lose,
		activities.NameRunBang: w.RunBang, activities.NameEndBang: w.EndBang,
	} {
		env.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name})
	}
	return env
}

var errBug = temporal.NewNonRetryableApplicationError("broken", "internal", errors.New("broken"))

func TestBackground_TriesAgainUntilTheEndIsKnown(t *testing.T) {
	w := &work{}
	w.watch = func(context.Context) (background.WatchOutput, error) {
		if w.watched < 9 {
			return background.WatchOutput{}, temporal.NewApplicationError("Postgres is away", "unavailable")
		}
		return background.WatchOutput{State: chat.TaskExited, Code: 3}, nil
	}
	env := w.setup(t)
	env.ExecuteWorkflow(workflows.NameBackground, workflows.BackgroundInput{Call: "t.0.0", Task: "bg1", Attributes: true})
	require.NoError(t, env.GetWorkflowError())
	require.Zero(t, w.lost)
}

func TestBackground_ABugOfOursLosesTheTaskAndSaysSo(t *testing.T) {
	w := &work{watch: func(context.Context) (background.WatchOutput, error) { return background.WatchOutput{}, errBug }}
	env := w.setup(t)
	env.ExecuteWorkflow(workflows.NameBackground, workflows.BackgroundInput{Call: "t.0.0", Task: "bg1"})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 1, w.lost)
}

func TestBackground_CancelledWithoutAnEndLeavesANote(t *testing.T) {
	w := &work{watch: func(ctx context.Context) (background.WatchOutput, error) {
		<-ctx.Done()
		return background.WatchOutput{}, temporal.NewCanceledError()
	}}
	env := w.setup(t)
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Second)
	env.ExecuteWorkflow(workflows.NameBackground, workflows.BackgroundInput{Call: "t.0.0", Task: "bg1"})
	require.True(t, temporal.IsCanceledError(errors.Unwrap(env.GetWorkflowError())), "the relay starts another one")
	require.Equal(t, 1, w.noted)
	require.Zero(t, w.lost)
}

func TestCommand_IsAnsweredWhateverHappens(t *testing.T) {
	w := &work{bang: func(context.Context) (background.BangOutput, error) {
		return background.BangOutput{State: "exited"}, nil
	}}
	env := w.setup(t)
	env.ExecuteWorkflow(workflows.NameCommand, workflows.BangInput{Inbox: 7})
	require.NoError(t, env.GetWorkflowError())
	require.Zero(t, w.answered)

	w = &work{bang: func(context.Context) (background.BangOutput, error) { return background.BangOutput{}, errBug }}
	env = w.setup(t)
	env.ExecuteWorkflow(workflows.NameCommand, workflows.BangInput{Inbox: 7})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 1, w.ran)
	require.Equal(t, 1, w.answered)
}
