package workflows

import (
	"errors"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/turn"
	"xbot/internal/chat"
)

// endTime is how long a stopped subagent may take to report its partial result. Then the turn continues without it.
const endTime = 15 * time.Second

// delegate hands work to a subagent and waits for its answer, unless it works in the background. The answer is a row, the result of the call: its
// writer wakes the turn.
func (t *turnRun) delegate(ctx workflow.Context, id chat.CallID, call turn.CallOutput) {
	var out turn.DelegateOutput
	err := workflow.ExecuteLocalActivity(localOptions(ctx, label(call)), activities.NameDelegate, turn.ToolInput{Call: id}).Get(ctx, &out)
	if broken(err) {
		t.abandonCall(ctx, id, err)
	}
	if err == nil && out.Subagent != nil {
		child := t.subagents().begin(ctx, out)
		if out.Wait {
			answered := t.waits.show(ctx, wait{WaitsSubagents, "a subagent: " + label(call)})
			t.await(ctx, id, child)
			answered()
		}
	}
	if err == nil && out.Group != "" {
		t.startGroupChat(ctx, out)
	}
	t.details.callEnded(ctx, call, out.Error || err != nil)
}

// subagents starts the subagents of the turn.
func (t *turnRun) subagents() subagentStarter {
	return subagentStarter{attributes: t.in.Attributes, waits: t.in.Waits, user: t.claimed.User}
}

// subagentStarter starts the workflows of subagents.
type subagentStarter struct {
	attributes, waits bool   // as in TurnInput
	user              string // the user that they work for
}

// begin starts the workflow of a subagent as a child of this one, or wakes the one that runs. What it cannot do the relay does:
// the task is a row. The future is nil where the subagent outlives the turn.
func (s subagentStarter) begin(ctx workflow.Context, out turn.DelegateOutput) workflow.ChildWorkflowFuture {
	a := *out.Subagent
	bound := a.Once() && out.Wait // it ends with the turn
	if !bound {
		ctx, _ = workflow.NewDisconnectedContext(ctx)
	}
	input := SubagentInput{Session: a.Session, Once: a.Once(), Attributes: s.attributes, Waits: s.waits}
	child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, s.options(a, bound, out.Words)), NameSubagent, input)
	err := child.GetChildWorkflowExecution().Get(ctx, nil)
	if _, running := errors.AsType[*temporal.ChildWorkflowExecutionAlreadyStartedError](err); running {
		// one that ends at this instant is started again by the relay
		_ = workflow.SignalExternalWorkflow(ctx, SubagentID(a), "", SignalWake, nil).Get(ctx, nil)
	}
	if err != nil || !bound {
		return nil
	}
	return child
}

func (s subagentStarter) options(a chat.SubagentRef, bound bool, words string) workflow.ChildWorkflowOptions {
	about := strings.Join(nonempty(a.Name(), words), " · ")
	o := workflow.ChildWorkflowOptions{
		WorkflowID:            SubagentID(a),
		WorkflowTaskTimeout:   TaskTimeout,
		ParentClosePolicy:     enums.PARENT_CLOSE_POLICY_ABANDON,
		WaitForCancellation:   true,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:         StaticSummary(about),
	}
	if bound {
		o.ParentClosePolicy = enums.PARENT_CLOSE_POLICY_REQUEST_CANCEL
	}
	if s.attributes {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(
			AttrSession.ValueSet(string(a.Session)), AttrKind.ValueSet(KindSubagent), AttrUser.ValueSet(s.user),
		)
	}
	if s.attributes && s.waits {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(
			AttrSession.ValueSet(string(a.Session)), AttrKind.ValueSet(KindSubagent), AttrUser.ValueSet(s.user), AttrParent.ValueSet(string(a.Parent)),
		)
	}
	o.StaticDetails = "[conversation](" + ConversationPath(a.Session) + ") for [its parent](" + ConversationPath(a.Parent) + ")"
	o.Memo = map[string]any{MemoAbout: about}
	return o
}

// await waits until the call has its result. If a child has ended without a result, the relay settles its turn. After a stop
// the subagent has endTime to report its partial result.
func (t *turnRun) await(ctx workflow.Context, id chat.CallID, child workflow.ChildWorkflowFuture) {
	done, ended := func() bool { return t.inbox.hasReport(id) }, false
	if child != nil {
		workflow.Go(ctx, func(ctx workflow.Context) {
			free, _ := workflow.NewDisconnectedContext(ctx)
			_ = child.Get(free, nil) // how it ended is in the row
			ended = true
			if !done() && ctx.Err() == nil {
				t.readInbox(ctx)
			}
		})
	}
	if workflow.Await(ctx, done) == nil || child == nil {
		return
	}
	free, _ := workflow.NewDisconnectedContext(ctx)
	_, _ = workflow.AwaitWithTimeout(free, endTime, func() bool { return ended }) // without it the result is an interruption
}
