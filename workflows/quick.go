package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/turn"
	"xbot/internal/chat"
)

// runTool runs the tool of a call. A call that is usually quick is tried as a local activity first, which saves the way through Temporal and
// back. What does not end in its time continues as an activity, which attaches to it by the id of the call.
func (t *turnRun) runTool(ctx workflow.Context, id chat.CallID, call turn.CallOutput) (turn.ToolOutput, error) {
	defer t.calls.track(ctx, id)()
	if out, ended := t.tryQuickly(ctx, id, call); ended {
		return out, nil
	}
	var out turn.ToolOutput
	err := workflow.ExecuteActivity(toolOptions(ctx, call.Class, label(call)), activities.NameTool, turn.ToolInput{Call: id}).Get(ctx, &out)
	t.quick.taskBegan()
	return out, err
}

// tryQuickly tries a call as a local activity, and reports whether it ended. Calls that cannot be repeated safely are never tried: a
// workflow task whose worker is lost is done again, with all its local activities.
func (t *turnRun) tryQuickly(ctx workflow.Context, id chat.CallID, call turn.CallOutput) (out turn.ToolOutput, ended bool) {
	if !call.Quick || call.Class == chat.ClassOnce {
		return out, false
	}
	if !t.triesCalls(ctx) {
		return out, false
	}
	left := t.quick.left(ctx)
	if left < quickLeast {
		return out, false
	}
	in := turn.ToolInput{Call: id, Within: left}
	err := workflow.ExecuteLocalActivity(quickToolOptions(ctx, left, label(call)), activities.NameTool, in).Get(ctx, &out)
	return out, err == nil && !out.Unfinished
}

// tryModel tries a call of a model that usually answers quickly as a local activity, and reports whether it ended. What does not end well
// in its time is taken over by an activity, with its failure where it has failed; attempts of that activity come after this one.
func (t *turnRun) tryModel(ctx workflow.Context, next *turn.GenerateInput, summary string) (out turn.GenerateOutput, ended bool, err error) {
	if !t.quick.model || next.Waiting || !t.triesModels(ctx) {
		return out, false, nil
	}
	in := *next
	if in.Within = t.quick.left(ctx); in.Within < quickLeast {
		return out, false, nil
	}
	next.Attempts++
	free, _ := workflow.NewDisconnectedContext(ctx) // a stop is carried out below, where nothing of the attempt is lost
	err = workflow.ExecuteLocalActivity(quickToolOptions(free, in.Within, summary), activities.NameGenerate, in).Get(free, &out)
	if err == nil && !out.Unfinished {
		return out, true, nil
	}
	if ctx.Err() == nil {
		return out, false, nil
	}
	in.Within, in.Stop, out = 0, true, turn.GenerateOutput{}
	err = workflow.ExecuteLocalActivity(localOptions(free, "stop · "+summary), activities.NameGenerate, in).Get(free, &out)
	return out, true, err
}

// quickVersion returns what the run tries within a workflow task.
func quickVersion(ctx workflow.Context) workflow.Version {
	return workflow.GetVersion(ctx, "quick calls are local activities", workflow.DefaultVersion, 2)
}

// triesCalls reports whether the run tries quick tool calls within a workflow task.
func (t *turnRun) triesCalls(ctx workflow.Context) bool { return quickVersion(ctx) >= 1 }

// triesModels reports whether it tries calls of quick models, too.
func (t *turnRun) triesModels(ctx workflow.Context) bool { return quickVersion(ctx) >= 2 }

// quickBudget is for how long quick calls may hold a workflow task open.
type quickBudget struct {
	until time.Time // zero before the first of the task
	model bool      // the model usually answers quickly
}

// left returns the remaining time. It begins to count with the first of them: a signal that came before that is seen already.
func (q *quickBudget) left(ctx workflow.Context) time.Duration {
	now := workflow.Now(ctx)
	if q.until.IsZero() {
		q.until = now.Add(quickTime)
	}
	return q.until.Sub(now)
}

// taskBegan records that what the turn has just waited for began another workflow task.
func (q *quickBudget) taskBegan() { q.until = time.Time{} }
