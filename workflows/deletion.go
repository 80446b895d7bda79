package workflows

import (
	"strconv"
	"time"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/deletion"
	"xbot/internal/chat"
)

const (
	// minDeletionPause and maxDeletionPause bound the pause before a deletion looks again at its obstacle. The pauses double. A runner may be away
	// for hours; all other obstacles take a minute at most.
	minDeletionPause = time.Second
	maxDeletionPause = 10 * time.Second
	maxRunnerPause   = 5 * time.Minute
	// maxDeletionSteps is how many steps one run takes before it continues as new.
	maxDeletionSteps = 100
)

// DeletePersonInput names a user, by their number: their name is in no history of the deletion.
type DeletePersonInput struct {
	User chat.UserID `json:"user"`
}

// DeletePerson deletes a user with all that they have, step by step. The steps find the remaining work in Postgres.
func DeletePerson(ctx workflow.Context, in DeletePersonInput) error {
	pause := minDeletionPause
	for range maxDeletionSteps {
		var out deletion.Output
		err := workflow.ExecuteActivity(deletionOptions(ctx, "delete what is left"), activities.NameDeletePerson, deletion.Input{User: in.User}).Get(ctx, &out)
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, deletionDetails(out))
		if out.Done {
			return nil
		}
		if out.Waits == "" {
			pause = minDeletionPause
			continue
		}
		timer := workflow.NewTimerWithOptions(ctx, pause, workflow.TimerOptions{Summary: "waits for " + deletionWait(out)})
		if err := timer.Get(ctx, nil); err != nil {
			return err
		}
		most := maxDeletionPause
		if out.Waits == deletion.WaitsFiles {
			most = maxRunnerPause
		}
		pause = min(2*pause, most)
	}
	return continueAsNew(ctx, NameDeletePerson, in)
}

// deletionDetails returns what operators see of a deletion.
func deletionDetails(out deletion.Output) string {
	if out.Done {
		return "**deleted**"
	}
	text := "**deleting** · " + strconv.Itoa(out.Left) + " of " + count(out.Conversations, "conversation", "conversations") + " left"
	if out.Waits != "" {
		text += " · waits for " + deletionWait(out)
	}
	return text
}

func deletionWait(out deletion.Output) string {
	switch out.Waits {
	case deletion.WaitsTurns:
		return count(out.For, "turn to end", "turns to end")
	case deletion.WaitsFiles:
		return count(out.For, "file to be removed from its runner", "files to be removed from their runners")
	case deletion.WaitsBelow:
		return count(out.For, "service or consumer to be deleted", "services or consumers to be deleted")
	case deletion.WaitsRuns:
		return "Temporal to delete histories"
	}
	return out.Waits
}
