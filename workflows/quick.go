package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/turn"
	"xbot/internal/chat"
)

// runTool runs the tool of a call. A call that is usually quick is tried as a local activity first, which saves the way through Temporal and
// back. What does not end in its time goes on as an activity, which attaches to it by the id of the call.
func (t *turnRun) runTool(ctx workflow.Context, id chat.CallID, call turn.CallOutput) (turn.ToolOutput, error) {
	defer t.calls.track(ctx, id)()
	if out, ended := t.tryQuickly(ctx, id, call); ended {
		return out, nil
	}
	var out turn.ToolOutput
	err := workflow.ExecuteActivity(tool(ctx, call.Class, label(call)), activities.NameTool, turn.ToolInput{Call: id}).Get(ctx, &out)
	t.quick.taskBegan()
	return out, err
}

// tryQuickly tries a call as a local activity, and reports whether it ended. Calls that cannot be repeated safely are never tried: a
// workflow task whose worker is lost is done again, with all its local activities.
func (t *turnRun) tryQuickly(ctx workflow.Context, id chat.CallID, call turn.CallOutput) (out turn.ToolOutput, ended bool) {
	const change = "quick calls are local activities"
	if !call.Quick || call.Class == chat.ClassOnce {
		return out, false
	}
	if workflow.GetVersion(ctx, change, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return out, false
	}
	left := t.quick.left(ctx)
	if left < quickLeast {
		return out, false
	}
	in := turn.ToolInput{Call: id, Within: left}
	err := workflow.ExecuteLocalActivity(quickTool(ctx, left, label(call)), activities.NameTool, in).Get(ctx, &out)
	return out, err == nil && !out.Unfinished
}

// quickBudget is for how long quick calls may hold a workflow task open.
type quickBudget struct {
	until time.Time // zero before the first of the task
}

// left is what is left of it. It begins to count with the first of them: a signal that came before that is seen already.
func (q *quickBudget) left(ctx workflow.Context) time.Duration {
	now := workflow.Now(ctx)
	if q.until.IsZero() {
		q.until = now.Add(quickTime)
	}
	return q.until.Sub(now)
}

// taskBegan notes that what the turn has just waited for began another workflow task.
func (q *quickBudget) taskBegan() { q.until = time.Time{} }
