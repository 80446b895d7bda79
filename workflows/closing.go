package workflows

import (
	"slices"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/hooks"
	"xbot/internal/chat"
	"xbot/internal/markdown"
)

// ClosingInput names a turn that has ended.
type ClosingInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
}

// Closing tells the hooks that a turn has ended. They decide nothing then, so it is no part of the turn: the next message of the
// conversation does not wait for them.
func Closing(ctx workflow.Context, in ClosingInput) error {
	ask := hooks.RunInput{Session: in.Session, Turn: in.Turn, Point: hooks.PointClosing}
	workflow.SetCurrentDetails(ctx, "tells the hooks that turn "+string(in.Turn)+" has ended")
	err := workflow.ExecuteActivity(runningHooks(ctx, "hooks · "+ask.Point), activities.NameRunHooks, ask).Get(ctx, nil)
	if broken(err) { // as where the conversation was deleted meanwhile
		workflow.GetLogger(ctx).Warn("hooks were not asked", "point", ask.Point, "error", err)
		workflow.SetCurrentDetails(ctx, "**failed: "+markdown.Escaped(kindOf(err))+"** · the hooks were not told that turn "+string(in.Turn)+" has ended")
		return nil
	}
	if err == nil {
		workflow.SetCurrentDetails(ctx, "**done** · the hooks were told that turn "+string(in.Turn)+" has ended")
	}
	return err
}

// runClosingHooks starts the workflow that tells the hooks that the turn has ended, if there are such hooks. Turns that began before that workflow existed run them themselves.
func (t *turnRun) runClosingHooks(ctx workflow.Context) {
	const change = "hooks are told of the end beside the next turn"
	told := hooks.RunInput{Point: hooks.PointClosing}
	if !slices.Contains(t.claimed.Hooks, told.Point) {
		return
	}
	if workflow.GetVersion(ctx, change, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		t.notifyHooks(ctx, told)
		return
	}
	o := workflow.ChildWorkflowOptions{
		WorkflowID:            ClosingID(t.id),
		WorkflowTaskTimeout:   TaskTimeout,
		ParentClosePolicy:     enums.PARENT_CLOSE_POLICY_ABANDON,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:         StaticSummary("hooks · " + told.Point),
		StaticDetails:         t.description(),
	}
	if t.in.Attributes {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(AttrSession.ValueSet(string(t.in.Session)), AttrKind.ValueSet(KindClosing), AttrUser.ValueSet(t.claimed.User))
	}
	child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, o), NameClosing, ClosingInput{Session: t.in.Session, Turn: t.id})
	if err := child.GetChildWorkflowExecution().Get(ctx, nil); err != nil {
		workflow.GetLogger(ctx).Warn("hooks were not told of the end", "error", err)
	}
}
