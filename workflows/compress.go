package workflows

import (
	"strconv"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/compress"
	"xbot/activities/hooks"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// decide asks the model for the next step. If the context has to be compressed first, a separate activity does it, as often as the step asks for it:
// the step counts and decides when to give up. Where the provider cannot be reached and the turn waits, the next activity is the one that waits, by
// its attempts; what users write in the meantime is taken in before it continues.
func (t *turnRun) decide(ctx workflow.Context, step int) (turn.GenerateOutput, error) {
	in := turn.GenerateInput{Session: t.in.Session, Turn: t.id, Step: step, MayWait: true}
	ended := func() {}
	defer func() { ended() }()
	for {
		out, hastened, err := t.generateOrHasten(ctx, in)
		switch {
		case err != nil:
		case hastened.By > 0:
			in.Hastened, in.Attempts, in.Steered = hastened.By, hastened.Attempts, false
		case out.Compress != "":
			err = t.compress(ctx, step, in.Compressed, out.Compress)
			in.Compressed++
		case out.Wait != "":
			if !in.Waiting {
				ended = t.waits.show(ctx, providerAway(ctx, out.Wait))
			}
			in.Waiting, in.Steered, in.Attempts = true, false, out.Attempts
		case out.Steer:
			in.Attempts, in.Steered, t.inbox.steered = out.Attempts, true, true
			err = t.steer(ctx)
		default:
			return out, nil
		}
		if err != nil {
			return out, err
		}
	}
}

// compress has the beginning of the conversation summarized.
func (t *turnRun) compress(ctx workflow.Context, step, n int, trigger string) error {
	t.details.compress(ctx, trigger)
	t.notifyHooks(ctx, hooks.RunInput{Point: hooks.PointCompact, Step: step, N: n, Trigger: trigger})
	in := compress.Input{Session: t.in.Session, Turn: t.id, Step: step, N: n, Trigger: trigger}
	summary := t.claimed.Model + " · " + trigger
	var out compress.Output
	err := workflow.ExecuteActivity(modelOptions(ctx, summary), activities.NameCompress, in).Get(ctx, &out)
	t.details.compressed(ctx, out)
	if err == nil {
		t.notifyHooks(ctx, hooks.RunInput{Point: hooks.PointCompacted, Step: step, N: n, Trigger: trigger, Before: out.Before, After: out.After})
	}
	return err
}

// control carries out a command that has waited for its place in the queue. The activity answers the user.
func (t *turnRun) control(ctx workflow.Context) turnEnd {
	ctx, t.cancel = workflow.WithCancel(ctx)
	defer t.cancel()
	workflow.Go(ctx, t.handleWakes)
	var err error
	if t.claimed.Control == controlCompact {
		err = t.compress(ctx, 0, 0, chat.TriggerManual)
	} else {
		in := activities.TurnCommandInput{Session: t.in.Session, Turn: t.id}
		err = workflow.ExecuteLocalActivity(localOptions(ctx, t.claimed.Control), activities.NameTurnCommand, in).Get(ctx, nil)
	}
	switch {
	case t.inbox.broken != nil:
		return failed(t.inbox.broken)
	case t.inbox.stopped || temporal.IsCanceledError(err):
		return turnEnd{state: chat.TurnStopped, say: i18n.Stopped}
	case err != nil:
		return turnEnd{state: chat.TurnFailed, say: sentenceOf(err)}
	}
	return turnEnd{state: chat.TurnDone}
}

// controlCompact is the command that needs a model.
const controlCompact = "compact"

func (s *turnDetails) compress(ctx workflow.Context, trigger string) {
	s.show(ctx, "compresses the context: "+trigger)
}

func (s *turnDetails) compressed(ctx workflow.Context, out compress.Output) {
	if out.Method != "" {
		s.add("compress", out.Method, strconv.Itoa(out.Before)+" → "+strconv.Itoa(out.After)+" tokens")
	}
	s.show(ctx, "")
}
