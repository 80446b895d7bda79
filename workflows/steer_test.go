package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/workflows"
)

// Steer takes what waits for the turn that runs, of which a step is told before which it came.
func (w *world) Steer(_ context.Context, in turn.SteerInput) (turn.SteerOutput, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.steers = append(w.steers, steered{in.N, w.generates, w.steering})
	out := turn.SteerOutput{Messages: w.steering}
	w.steering, w.looks = 0, 0
	if w.late != nil {
		close(w.late)
		w.late = nil
	}
	return out, nil
}

// look lets the turn look twice: the second time it has acted on what it saw the first time. The caller holds the lock.
func (w *world) look() {
	if w.steering == 0 || w.known == nil {
		return
	}
	switch w.looks++; w.looks {
	case 1:
		w.wake()
	case 2:
		w.known <- struct{}{}
	}
}

// steerable sets a world up in which what a person writes is known to the turn once known was told.
func steerable(t *testing.T, w *world) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := setup(t, w)
	w.known = make(chan struct{}, 10)
	w.wake = func() { env.SignalWorkflow(workflows.SignalWake, nil) }
	return env
}

// steered is one claim of a turn that runs: its number, the steps before it, and how many messages it found.
type steered struct{ n, steps, messages int }

// write lets a person write to the turn that runs.
func (w *world) write() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.steering++
}

func TestSteer_WhatWaitsAtTheClaimIsTakenBeforeTheFirstStep(t *testing.T) {
	w := &world{waiting: 1, steering: 2, decisions: []turn.GenerateOutput{answered}}
	env := setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []steered{{1, 0, 2}}, w.steers)
	require.Equal(t, chat.TurnDone, w.finished.State)
}

func TestSteer_AMessageDuringAStepIsTakenBeforeTheNextAndSkipsWhatHasNotBegun(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{toolCalls(chat.ClassExec, 3), answered}}
	w.tool = func(context.Context, chat.CallID) error {
		<-w.known
		return nil
	}
	env := steerable(t, w)
	env.RegisterDelayedCallback(func() { w.write(); env.SignalWorkflow(workflows.SignalWake, nil) }, time.Second)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []chat.CallID{".0.0"}, w.calls, "the call that ran ended, the others did not begin")
	require.Equal(t, []steered{{1, 1, 1}}, w.steers)
	require.Equal(t, 2, w.generates)
}

func TestSteer_AMessageWhileTheModelAnswersIsLeftToTheNextTurn(t *testing.T) {
	w := &world{waiting: 1, pending: true, decisions: []turn.GenerateOutput{answered}}
	w.generate = func(context.Context, int) error {
		<-w.known
		return nil
	}
	env := steerable(t, w)
	env.RegisterDelayedCallback(func() { w.write(); env.SignalWorkflow(workflows.SignalWake, nil) }, time.Second)
	run(env)
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &next)
	require.Empty(t, w.steers, "the turn has ended before another step")
	require.Equal(t, chat.TurnDone, w.finished.State)
}

func TestSteer_AMessageInsteadOfAnAnswerEndsTheWaiting(t *testing.T) {
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{asking(chat.ClassExec, 2), answered}}
	env := setup(t, w)
	began := env.Now()
	env.RegisterDelayedCallback(func() { w.write(); env.SignalWorkflow(workflows.SignalWake, nil) }, 3*24*time.Hour)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []chat.CallID{".0.0"}, w.asked, "the second is not asked any more")
	require.Empty(t, w.calls)
	require.Empty(t, w.expired)
	require.Equal(t, []steered{{1, 1, 1}}, w.steers)
	require.Equal(t, 2, w.generates, "the model goes on, knowing what the person said")
	require.Equal(t, 3*24*time.Hour, env.Now().Sub(began).Round(time.Hour))
}

func TestSteer_EachMessageIsTakenOnceInItsOwnClaim(t *testing.T) {
	one := toolCalls(chat.ClassExec, 1)
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{one, one, one, answered}}
	env := steerable(t, w)
	w.tool = func(context.Context, chat.CallID) error {
		w.write()
		env.SignalWorkflow(workflows.SignalWake, nil)
		<-w.known
		return nil
	}
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []steered{{1, 1, 1}, {2, 2, 1}, {3, 3, 1}}, w.steers)
}

func TestSteer_AMessageThatALateLookSawSkipsNoCallOfTheNextStep(t *testing.T) {
	one := toolCalls(chat.ClassExec, 1)
	w := &world{waiting: 1, decisions: []turn.GenerateOutput{one, one, answered}, late: make(chan struct{})}
	env := steerable(t, w)
	first := true
	w.tool = func(context.Context, chat.CallID) error {
		if first {
			first = false
			w.write()
			env.SignalWorkflow(workflows.SignalWake, nil)
			<-w.known
		}
		return nil
	}
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []steered{{1, 1, 1}}, w.steers)
	require.Equal(t, []chat.CallID{".0.0", ".1.0"}, w.calls)
}

func TestSteer_AStopPrevails(t *testing.T) {
	w := &world{waiting: 1, stopAfter: 1, steering: 0, decisions: []turn.GenerateOutput{toolCalls(chat.ClassExec, 2), answered}}
	w.tool = func(ctx context.Context, _ chat.CallID) error { <-ctx.Done(); return nil }
	env := setup(t, w)
	env.RegisterDelayedCallback(func() { w.write(); env.SignalWorkflow(workflows.SignalWake, nil) }, time.Second)
	run(env)
	require.Equal(t, chat.TurnStopped, w.finished.State)
	require.Equal(t, i18n.Stopped, w.finished.Say, "the row says whether a newer message was the reason")
	require.Empty(t, w.steers, "what was written is left to the next turn")
}

func TestTurn_ABurstThatIsHeldIsClaimedByTheRunThatItsEndWakes(t *testing.T) {
	w := &world{decisions: []turn.GenerateOutput{answered}}
	env := setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError(), "a held burst is nothing to claim: the run completes and costs nothing")
	require.Zero(t, w.generates)
	w.waiting = 1
	env = setup(t, w)
	run(env)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 1, w.generates)
}
