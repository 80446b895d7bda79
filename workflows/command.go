package workflows

import (
	"strings"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/background"
	"xbot/internal/chat"
)

// BangInput names a bang command by its inbox row.
type BangInput struct {
	Inbox chat.InboxID `json:"inbox"`
	// Words are the first words of the command if they may appear in histories.
	Words string `json:"words,omitempty"`
	// Attributes is true if the namespace knows our search attributes.
	Attributes bool `json:"attributes,omitempty"`
	// Files is how many files came with it: they are brought to it first.
	Files int `json:"files,omitempty"`
}

// Command runs one bang command in parallel to the conversation and answers it, once the files that came with it are there or cannot be had.
// Cancelling the run kills the command.
func Command(ctx workflow.Context, in BangInput) error {
	head := heading("command", in.Words)
	if in.Files > 0 {
		switch err := fetchFiles(ctx, in.Inbox); {
		case broken(err): // the command finds none of them
			workflow.GetLogger(ctx).Warn("the files of a command were not fetched", "error", err)
		case err != nil:
			return err
		}
	}
	workflow.SetCurrentDetails(ctx, head+"runs")
	var out background.BangOutput
	run := background.BangInput{Inbox: in.Inbox}
	err := workflow.ExecuteActivity(bangOptions(ctx, strings.Join(nonempty("bang", in.Words), " · ")), activities.NameRunBang, run).Get(ctx, &out)
	if err != nil { // it was not answered: it broke, or was cancelled before the activity began
		out.State = string(chat.TaskLost)
		if run.Stopped = !broken(err); run.Stopped {
			out.State = string(chat.TaskKilled)
		}
		ctx, _ := workflow.NewDisconnectedContext(ctx)
		err = workflow.ExecuteLocalActivity(localOptions(ctx, "answer"), activities.NameEndBang, run).Get(ctx, nil)
	}
	if err != nil {
		return err
	}
	return outcome(ctx, in.Attributes, head, out.State, out.Code)
}
