package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"xbot/activities"
	"xbot/activities/compress"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/workflows"
)

func (w *world) Compress(ctx context.Context, in compress.Input) (compress.Output, error) {
	w.mu.Lock()
	w.compressed = append(w.compressed, in)
	w.mu.Unlock()
	if w.compress != nil {
		return compress.Output{}, w.compress(ctx)
	}
	return compress.Output{Before: 150_000, After: 11_000, Method: chat.CompactedByModel}, nil
}

func (w *world) Obey(context.Context, activities.TurnCommandInput) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.obeyed++
	return nil
}

// full is the decision of a step that needs a compression first.
func full(trigger string) turn.GenerateOutput {
	return turn.GenerateOutput{Compress: trigger}
}

func TestCompress_ComesBeforeTheStepThatAsksForIt(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{toolCalls(chat.ClassRead, 1), full(chat.TriggerAuto), answered}}
	env := setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, chat.TurnDone, w.finished.State)
	require.Len(t, w.compressed, 1)
	require.Equal(t, 1, w.compressed[0].Step)
	require.Equal(t, chat.TriggerAuto, w.compressed[0].Trigger)
	require.Equal(t, 1, w.generations[2].Step, "the step is asked again")
	require.Equal(t, 1, w.generations[2].Compressed)
}

func TestCompress_AStepMayAskForItAgainAndEachIsItsOwn(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{
		full(chat.TriggerTooLong), full(chat.TriggerExceeded), full(chat.TriggerTooLong), {Finish: chat.FinishError},
	}}
	env := setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, chat.TurnFailed, w.finished.State)
	require.Len(t, w.compressed, 3)
	for n, in := range w.compressed {
		require.Equal(t, n, in.N)
		require.Equal(t, n+1, w.generations[n+1].Compressed, "the step counts and gives up")
	}
	require.Equal(t, []string{chat.TriggerTooLong, chat.TriggerExceeded, chat.TriggerTooLong},
		[]string{w.compressed[0].Trigger, w.compressed[1].Trigger, w.compressed[2].Trigger})
}

func TestCompress_AStopEndsTheTurn(t *testing.T) {
	w := &world{waiting: 1, stopAfter: 1, decisions: []turn.GenerateOutput{full(chat.TriggerAuto), answered}}
	w.compress = func(ctx context.Context) error { <-ctx.Done(); return temporal.NewCanceledError() }
	env := setup(t, w)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalWake, nil) }, time.Second)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, chat.TurnStopped, w.finished.State)
	require.Equal(t, i18n.Stopped, w.finished.Say)
	require.Equal(t, 1, w.generates)
}

func TestCompress_ThatBreaksIsToldToThePerson(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{full(chat.TriggerAuto), answered}}
	w.compress = func(context.Context) error { return temporal.NewNonRetryableApplicationError("a bug", "internal", nil) }
	env := setup(t, w)
	run(env)
	require.Equal(t, chat.TurnFailed, w.finished.State)
	require.Equal(t, i18n.Broken, w.finished.Say)
}

func TestCompress_OnCommandAsksNoModelForAnAnswer(t *testing.T) {
	w := &world{waiting: 1, control: "compact"}
	env := setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, chat.TurnDone, w.finished.State)
	require.Empty(t, w.finished.Say, "the activity has answered")
	require.Len(t, w.compressed, 1)
	require.Equal(t, chat.TriggerManual, w.compressed[0].Trigger)
	require.Zero(t, w.generates)
	require.Zero(t, w.obeyed)
}

func TestCompress_OnCommandCanBeStopped(t *testing.T) {
	w := &world{waiting: 1, control: "compact"}
	w.compress = func(ctx context.Context) error {
		w.mu.Lock()
		w.generates, w.stopAfter = 1, 1
		w.mu.Unlock()
		<-ctx.Done()
		return temporal.NewCanceledError()
	}
	env := setup(t, w)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalWake, nil) }, time.Second)
	run(env)
	require.Equal(t, chat.TurnStopped, w.finished.State)
}

func TestControl_OtherCommandsAreObeyed(t *testing.T) {
	w := &world{waiting: 1, control: "rewind"}
	env := setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, chat.TurnDone, w.finished.State)
	require.Equal(t, 1, w.obeyed)
	require.Empty(t, w.compressed)
}
