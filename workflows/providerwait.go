package workflows

import (
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/turn"
	"xbot/internal/chat"
)

// providerWait is an activity that waits for the provider by the pauses between its attempts. A message of a person cuts a pause off: the
// activity is cancelled, and another one asks sooner.
type providerWait struct {
	cancel   workflow.CancelFunc
	known    chat.InboxID // the message that has brought its attempt forward, 0 for none
	hastened turn.HastenOutput
}

// generateOrHasten runs one Generate. Where it waits for the provider and a message has cut it off, hastened says which, and there is
// neither a decision nor an error: an activity that was cut off asks nobody.
func (t *turnRun) generateOrHasten(ctx workflow.Context, in turn.GenerateInput) (out turn.GenerateOutput, hastened turn.HastenOutput, err error) {
	if !in.Waiting {
		out, err = t.generate(ctx, in)
		return out, hastened, err
	}
	attempts, cancel := workflow.WithCancel(ctx)
	defer cancel()
	wait := &providerWait{cancel: cancel, known: in.Hastened}
	t.provider = wait
	out, err = t.generate(attempts, in)
	t.provider = nil
	if err != nil && ctx.Err() == nil && wait.hastened.By > 0 {
		return turn.GenerateOutput{}, wait.hastened, nil
	}
	return out, hastened, err
}

// hasten brings the next attempt forward if the turn waits for its provider and a person has written meanwhile.
func (t *turnRun) hasten(ctx workflow.Context) {
	const change = "a message hastens the provider"
	wait := t.provider
	if wait == nil || workflow.GetVersion(ctx, change, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return
	}
	var out turn.HastenOutput
	err := workflow.ExecuteLocalActivity(local(ctx, "hasten"), activities.NameHasten, turn.HastenInput{Turn: t.id}).Get(ctx, &out)
	if err == nil && out.By > wait.known && wait == t.provider {
		wait.hastened = out
		wait.cancel()
	}
}
