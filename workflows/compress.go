package workflows

import (
	"strconv"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/phrase"
)

// decide asks the model for the next step. Where the context has to be compressed first, that happens in an activity of
// its own, as often as the step asks for it: the step counts and gives up by itself.
func (t *turn) decide(ctx workflow.Context, step int) (activities.GenerateOutput, error) {
	for n := 0; ; n++ {
		out, err := t.generate(ctx, step, n)
		if err != nil || out.Compress == "" {
			return out, err
		}
		if err := t.compress(ctx, step, n, out.Compress); err != nil {
			return out, err
		}
	}
}

// compress has the beginning of the conversation summarized.
func (t *turn) compress(ctx workflow.Context, step, n int, trigger string) error {
	t.story.compress(ctx, trigger)
	t.tell(ctx, activities.ConsultInput{Moment: activities.MomentCompact, Step: step, N: n, Trigger: trigger})
	in := activities.CompressInput{Session: t.in.Session, Turn: t.id, Step: step, N: n, Trigger: trigger}
	summary := t.claimed.Model + " · " + trigger
	var out activities.CompressOutput
	err := workflow.ExecuteActivity(model(ctx, summary), activities.NameCompress, in).Get(ctx, &out)
	t.story.compressed(ctx, out)
	if err == nil {
		t.tell(ctx, activities.ConsultInput{Moment: activities.MomentCompacted, Step: step, N: n, Trigger: trigger, Before: out.Before, After: out.After})
	}
	return err
}

// control carries out a command that has waited for its place in the queue. The activity answers the person.
func (t *turn) control(ctx workflow.Context) ending {
	ctx, t.cancel = workflow.WithCancel(ctx)
	defer t.cancel()
	workflow.Go(ctx, t.listen)
	var err error
	if t.claimed.Control == controlCompact {
		err = t.compress(ctx, 0, 0, chat.TriggerManual)
	} else {
		in := activities.ObeyInput{Session: t.in.Session, Turn: t.id}
		err = workflow.ExecuteLocalActivity(local(ctx, t.claimed.Control), activities.NameObey, in).Get(ctx, nil)
	}
	switch {
	case t.stopped || temporal.IsCanceledError(err):
		return ending{state: chat.TurnStopped, say: phrase.Stopped}
	case err != nil:
		return ending{state: chat.TurnFailed, say: phrase.Broken}
	}
	return ending{state: chat.TurnDone}
}

// controlCompact is the command that needs a model.
const controlCompact = "compact"

func (s *story) compress(ctx workflow.Context, trigger string) {
	s.show(ctx, "compresses the context: "+trigger)
}

func (s *story) compressed(ctx workflow.Context, out activities.CompressOutput) {
	if out.Method != "" {
		s.add("compress", out.Method, strconv.Itoa(out.Before)+" → "+strconv.Itoa(out.After)+" tokens")
	}
	s.show(ctx, "")
}
