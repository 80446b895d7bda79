package workflows

import (
	"slices"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/hooks"
	"xbot/activities/titles"
	"xbot/activities/turn"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
)

// ClosingInput names a turn that has ended.
type ClosingInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
}

// Closing runs the hooks for the end of a turn. They decide nothing then, so it is no part of the turn: the next message of the conversation does not
// wait for them.
func Closing(ctx workflow.Context, in ClosingInput) error {
	ask := hooks.RunInput{Session: in.Session, Turn: in.Turn, Point: hooks.PointClosing}
	workflow.SetCurrentDetails(ctx, "tells the hooks that turn "+string(in.Turn)+" has ended")
	err := workflow.ExecuteActivity(hookOptions(ctx, "hooks · "+ask.Point), activities.NameRunHooks, ask).Get(ctx, nil)
	if broken(err) { // as where the conversation was deleted in the meantime
		workflow.GetLogger(ctx).Warn("hooks were not asked", "point", ask.Point, "error", err)
		workflow.SetCurrentDetails(ctx, "**failed: "+markdown.Escaped(kindOf(err))+"** · the hooks were not told that turn "+string(in.Turn)+" has ended")
		return nil
	}
	if err == nil {
		workflow.SetCurrentDetails(ctx, "**done** · the hooks were told that turn "+string(in.Turn)+" has ended")
	}
	return err
}

// runClosingHooks starts the workflow of the closing hooks, if there are any. Turns that began before that workflow existed run them themselves.
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
	ctx = t.detached(ctx, ClosingID(t.id), KindClosing, "hooks · "+told.Point)
	child := workflow.ExecuteChildWorkflow(ctx, NameClosing, ClosingInput{Session: t.in.Session, Turn: t.id})
	if err := child.GetChildWorkflowExecution().Get(ctx, nil); err != nil {
		workflow.GetLogger(ctx).Warn("hooks were not told of the end", "error", err)
	}
}

// detached returns the options of a child workflow that continues after the turn and does not delay the next one.
func (t *turnRun) detached(ctx workflow.Context, id, kind, summary string) workflow.Context {
	o := workflow.ChildWorkflowOptions{
		WorkflowID:            id,
		WorkflowTaskTimeout:   TaskTimeout,
		ParentClosePolicy:     enums.PARENT_CLOSE_POLICY_ABANDON,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:         StaticSummary(summary),
		StaticDetails:         t.description(),
	}
	if t.in.Attributes {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(AttrSession.ValueSet(string(t.in.Session)), AttrKind.ValueSet(kind), AttrUser.ValueSet(t.claimed.User))
	}
	return workflow.WithChildOptions(ctx, o)
}

// TitleInput names a turn after which its conversation is named.
type TitleInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
}

// Title has a model name a conversation. It is no part of the turn: neither its answer nor the next message waits for it.
func Title(ctx workflow.Context, in TitleInput) error {
	workflow.SetCurrentDetails(ctx, "asks a model for a title of the conversation")
	var out titles.Output
	err := workflow.ExecuteActivity(titleOptions(ctx), activities.NameTitle, titles.Input{Session: in.Session, Turn: in.Turn}).Get(ctx, &out)
	switch {
	case broken(err): // as where the conversation was deleted in the meantime; it goes by the first words of its first message
		workflow.GetLogger(ctx).Warn("a conversation was not given a title", "error", err)
		workflow.SetCurrentDetails(ctx, "**failed: "+markdown.Escaped(kindOf(err))+"** · the conversation has no title by a model")
		return nil
	case err != nil:
		return err
	case out.Given:
		workflow.SetCurrentDetails(ctx, "**done** · the conversation has its title by "+markdown.Escaped(out.Model))
	default:
		workflow.SetCurrentDetails(ctx, "**done** · the conversation keeps the title that it had")
	}
	return nil
}

// beginTitle starts the workflow that has the conversation named, if it is to be. Turns that were finished before that workflow existed never
// say so.
func (t *turnRun) beginTitle(ctx workflow.Context, out turn.FinishOutput) {
	const change = "the conversation is named beside the next turn"
	if !out.Title || t.claimed.Control != "" || workflow.GetVersion(ctx, change, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return
	}
	ctx = t.detached(ctx, TitleID(t.in.Session), KindTitle, "title of the conversation")
	child := workflow.ExecuteChildWorkflow(ctx, NameTitle, TitleInput{Session: t.in.Session, Turn: t.id})
	if err := child.GetChildWorkflowExecution().Get(ctx, nil); err != nil { // that of an earlier turn continues
		workflow.GetLogger(ctx).Info("the conversation is being named already", "error", err)
	}
}
