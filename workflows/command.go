package workflows

import (
	"strings"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/internal/chat"
)

// CommandInput names a bang command by its inbox row.
type CommandInput struct {
	Inbox chat.InboxID `json:"inbox"`
	// Words are the first words of the command if they may stand in histories.
	Words string `json:"words,omitempty"`
	// Attributes says whether the namespace knows our search attributes.
	Attributes bool `json:"attributes,omitempty"`
}

// Command runs one bang command beside the conversation and answers it. Cancelling the run kills the command.
func Command(ctx workflow.Context, in CommandInput) error {
	head := "**" + strings.Join(nonempty("command", in.Words), " · ") + "**\n\n"
	workflow.SetCurrentDetails(ctx, head+"runs")
	var out activities.BangOutput
	run := activities.BangInput{Inbox: in.Inbox}
	err := workflow.ExecuteActivity(bang(ctx, strings.Join(nonempty("bang", in.Words), " · ")), activities.NameRunBang, run).Get(ctx, &out)
	if broken(err) {
		out.State = string(chat.TaskLost)
		err = workflow.ExecuteLocalActivity(local(ctx, "answer"), activities.NameEndBang, run).Get(ctx, nil)
	}
	if err != nil {
		return err
	}
	return outcome(ctx, in.Attributes, head, out.State, out.Code)
}
