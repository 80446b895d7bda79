package workflows

import (
	"cmp"
	"strconv"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/memorize"
	"xbot/internal/chat"
)

// MemorizeInput names a job that writes a conversation into memory.
type MemorizeInput struct {
	Job     chat.MemorizeID `json:"job"`
	Trigger string          `json:"trigger,omitempty"` // what removed the conversation from the context, for operators
	// Attributes is true if the namespace knows our search attributes.
	Attributes bool `json:"attributes,omitempty"`
}

// Memorize puts a conversation into memory. The row of the job is the promise, and holds its progress. Cancelling the run gives the job up.
func Memorize(ctx workflow.Context, in MemorizeInput) error {
	workflow.SetCurrentDetails(ctx, "reads the conversation")
	var out memorize.Output
	job := memorize.Input{Job: in.Job}
	err := workflow.ExecuteActivity(memorizeOptions(ctx, "memorize · "+in.Trigger), activities.NameMemorize, job).Get(ctx, &out)
	if err != nil {
		ended, _ := workflow.NewDisconnectedContext(ctx)
		if err := workflow.ExecuteLocalActivity(localOptions(ended, "give up"), activities.NameGiveUpMemorize, job).Get(ended, nil); err != nil {
			return err
		}
		if !broken(err) {
			return err // cancelled
		}
		out.State = chat.MemorizeFailed
	}
	text := "**" + cmp.Or(out.State, "had ended before") + "**"
	if out.Parts > 0 {
		text += " · " + count(out.Parts, "part", "parts") + " read · " + count(out.Changed, "memory", "memories") + " changed · " + strconv.Itoa(out.Archived) + " archived"
	}
	workflow.SetCurrentDetails(ctx, text)
	if !in.Attributes || out.State == "" {
		return nil
	}
	return workflow.UpsertTypedSearchAttributes(ctx, AttrOutcome.ValueSet(out.State))
}
