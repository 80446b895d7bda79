package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/hooks"
	"xbot/activities/turn"
	"xbot/internal/chat"
)

// runHooks runs the hooks of a point. If there are none it costs nothing: the claim of the turn and each call say so. A
// failure changes nothing here: the row of a call that hooks had to be asked about keeps it from running.
func (t *turnRun) runHooks(ctx workflow.Context, in hooks.RunInput) (out hooks.RunOutput, err error) {
	ofCall := in.Point == hooks.PointCall || in.Point == hooks.PointResult
	if !ofCall && !slices.Contains(t.claimed.Hooks, in.Point) {
		return out, nil
	}
	in.Session, in.Turn = t.in.Session, t.id
	err = workflow.ExecuteActivity(hookOptions(ctx, "hooks · "+in.Point), activities.NameRunHooks, in).Get(ctx, &out)
	t.quick.taskBegan()
	if broken(err) {
		workflow.GetLogger(ctx).Warn("hooks were not asked", "point", in.Point, "error", err)
	}
	return out, err
}

// runOpeningHooks asks the hooks about what the n-th claim has taken, and reports whether anything is left to answer.
func (t *turnRun) runOpeningHooks(ctx workflow.Context, n int) (left bool) {
	out, err := t.runHooks(ctx, hooks.RunInput{Point: hooks.PointOpening, N: n})
	return err != nil || !out.Refused
}

// checkAndRunCall runs a call that hooks have to be asked about first, or a user, or both.
func (t *turnRun) checkAndRunCall(ctx workflow.Context, id chat.CallID, call turn.CallOutput, slots workflow.Semaphore) {
	if call.Hook {
		out, err := t.runCallHooks(ctx, id, slots)
		if broken(err) {
			t.abandon(ctx, turn.AbandonInput{Call: id, Hook: true, Crashed: kindOf(err) == activities.CrashedType})
		}
		if err != nil || out.Refused {
			return
		}
		call.Ask = call.Ask || out.Ask
	}
	if call.Ask {
		t.askAndRunCall(ctx, id, call, slots)
		return
	}
	if slots.Acquire(ctx, 1) != nil {
		return // stopped
	}
	defer slots.Release(1)
	t.runCallWithHooks(ctx, id, call)
}

// runCallHooks asks the hooks about a call, in a slot of those that run at once.
func (t *turnRun) runCallHooks(ctx workflow.Context, id chat.CallID, slots workflow.Semaphore) (out hooks.RunOutput, err error) {
	if err := slots.Acquire(ctx, 1); err != nil {
		return out, err
	}
	defer slots.Release(1)
	return t.runHooks(ctx, hooks.RunInput{Point: hooks.PointCall, Call: id})
}

// runCallWithHooks runs a call and the hooks for its result.
func (t *turnRun) runCallWithHooks(ctx workflow.Context, id chat.CallID, call turn.CallOutput) {
	t.call(ctx, id, call)
	if call.After {
		t.notifyHooks(ctx, hooks.RunInput{Point: hooks.PointResult, Call: id})
	}
}

// notifyHooks runs the hooks of a point whose outcome changes nothing here.
func (t *turnRun) notifyHooks(ctx workflow.Context, in hooks.RunInput) {
	_, _ = t.runHooks(ctx, in) // it was logged
}
