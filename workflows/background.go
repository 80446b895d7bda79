package workflows

import (
	"strconv"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/background"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
)

// BackgroundInput names a background task by the call that started it.
type BackgroundInput struct {
	Call chat.CallID `json:"call"`
	Task string      `json:"task"` // short id within its session
	// Runner and Words are for operators: where the command runs, and its first words if those may appear in histories.
	Runner string `json:"runner,omitempty"`
	Words  string `json:"words,omitempty"`
	// Attributes is true if the namespace knows our search attributes.
	Attributes bool `json:"attributes,omitempty"`
}

// Background follows one command that ran longer than the foreground permits, until it ends, for a day at most. The end is
// recorded by the activity, which also wakes the session. Cancelling the run kills the command.
func Background(ctx workflow.Context, in BackgroundInput) error {
	head := heading(in.Task, in.Words)
	workflow.SetCurrentDetails(ctx, head+"runs on "+markdown.Escaped(in.Runner))
	var out background.WatchOutput
	watch := background.WatchInput{Call: in.Call}
	err := workflow.ExecuteActivity(taskOptions(ctx, in.Words), activities.NameWatch, watch).Get(ctx, &out)
	if broken(err) {
		out.State = chat.TaskLost
		err = workflow.ExecuteLocalActivity(localOptions(ctx, "lose"), activities.NameLose, watch).Get(ctx, nil)
	}
	if temporal.IsCanceledError(err) {
		return noteKill(ctx, watch, err)
	}
	if err != nil {
		return err
	}
	return outcome(ctx, in.Attributes, head, string(out.State), out.Code)
}

// noteKill records that the command is to be killed: this workflow was cancelled, and the runner could not be reached. The workflow that the relay
// starts next sends the kill.
func noteKill(ctx workflow.Context, watch background.WatchInput, cancelled error) error {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	if err := workflow.ExecuteLocalActivity(localOptions(ctx, "note the kill"), activities.NameNoteKill, watch).Get(ctx, nil); err != nil {
		return err
	}
	return cancelled
}

// outcome shows how a command ended. An empty state means that there was nothing left to do.
func outcome(ctx workflow.Context, attributes bool, head, state string, code int) error {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	text := state
	if state == string(chat.TaskExited) {
		text += ", code " + strconv.Itoa(code)
	}
	if state == "" {
		state, text = "done", "had ended before"
	}
	workflow.SetCurrentDetails(ctx, head+text)
	if !attributes {
		return nil
	}
	return workflow.UpsertTypedSearchAttributes(ctx, AttrOutcome.ValueSet(state))
}
