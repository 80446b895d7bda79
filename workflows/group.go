package workflows

import (
	"fmt"
	"strings"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/agents"
	"xbot/activities/turn"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
)

// maxGroupWakes is how often one run of a group chat looks at its rows before it continues as new.
const maxGroupWakes = 50

// GroupChatInput names a group chat.
type GroupChatInput struct {
	Group      chat.GroupID `json:"group"`
	Attributes bool         `json:"attributes,omitempty"`
	Waits      bool         `json:"waits,omitempty"` // as in TurnInput
	User       string       `json:"user,omitempty"`  // whose chat it is, for operators
	// Asked is which question to a member was the last that had its subagent started.
	Asked int `json:"asked,omitempty"`
}

// GroupChat makes the members of a group chat speak, one after another. Their lines, the next speaker and the end are rows; the transaction that ends
// the turn of a member writes its line and wakes the chat.
func GroupChat(ctx workflow.Context, in GroupChatInput) error {
	wakes := workflow.GetSignalChannel(ctx, SignalWake)
	var last agents.StepGroupOutput
	for range maxGroupWakes {
		drainAll(wakes)
		var now agents.StepGroupOutput
		step := agents.StepGroupInput{Group: in.Group}
		err := workflow.ExecuteLocalActivity(localOptions(ctx, "who speaks next"), activities.NameStepGroup, step).Get(ctx, &now)
		if err != nil {
			return err
		}
		if now.Over {
			showGroup(ctx, last, "over")
			return nil
		}
		showGroup(ctx, now, markdown.Escaped(now.Name)+" speaks")
		last = now
		if now.Asked != in.Asked {
			in.Asked = now.Asked
			runSpeaker(ctx, in, now)
		}
		if err := woken(ctx, wakes); err != nil {
			return err
		}
	}
	return continueAsNew(ctx, NameGroupChat, in)
}

// showGroup shows the topic of a chat, how far it is and what it does.
func showGroup(ctx workflow.Context, now agents.StepGroupOutput, doing string) {
	round := ""
	if now.Rounds > 0 {
		round = fmt.Sprintf("round %d of %d", now.Round, now.Rounds)
	}
	workflow.SetCurrentDetails(ctx, strings.Join(nonempty("**"+doing+"**", round, markdown.Escaped(now.Topic)), " · "))
}

// runSpeaker starts or wakes the subagent that is to speak, as a child of the chat.
func runSpeaker(ctx workflow.Context, in GroupChatInput, now agents.StepGroupOutput) {
	subagents := subagentStarter{attributes: in.Attributes, waits: in.Waits, user: in.User}
	subagents.begin(ctx, turn.DelegateOutput{Subagent: now.Speaker, Words: fmt.Sprintf("round %d of %s", now.Round, in.Group)})
}

func woken(ctx workflow.Context, wakes workflow.ReceiveChannel) (err error) {
	workflow.NewSelector(ctx).
		AddReceive(wakes, func(c workflow.ReceiveChannel, _ bool) { c.ReceiveAsync(nil) }).
		AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) { err = ctx.Err() }).
		Select(ctx)
	return err
}

// startGroupChat starts the workflow of a group chat as a child of the turn that made it, which it outlives. What it cannot start the relay
// starts.
func (t *turnRun) startGroupChat(ctx workflow.Context, out turn.DelegateOutput) {
	o := workflow.ChildWorkflowOptions{
		WorkflowID:            GroupChatID(out.Group),
		WorkflowTaskTimeout:   TaskTimeout,
		ParentClosePolicy:     enums.PARENT_CLOSE_POLICY_ABANDON,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:         StaticSummary(strings.Join(nonempty("group chat", out.Words), " · ")),
		StaticDetails:         t.description(),
	}
	if t.in.Attributes {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(
			AttrSession.ValueSet(string(t.in.Session)), AttrKind.ValueSet(KindGroupChat), AttrUser.ValueSet(t.claimed.User),
		)
	}
	free, _ := workflow.NewDisconnectedContext(ctx)
	input := GroupChatInput{Group: out.Group, Attributes: t.in.Attributes, Waits: t.in.Waits, User: t.claimed.User}
	_ = workflow.ExecuteChildWorkflow(workflow.WithChildOptions(free, o), NameGroupChat, input).GetChildWorkflowExecution().Get(free, nil) // one that runs is it
}
