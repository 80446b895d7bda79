package workflows

import (
	"strconv"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/turn"
)

// steer takes in the messages that are meant to reach the turn while it runs, before its next step. Calls of the last
// step that have not begun are skipped: the model decides anew, knowing what the person said.
func (t *turnRun) steer(ctx workflow.Context) error {
	if !t.steered {
		return nil
	}
	out, err := t.claimSteering(ctx)
	if err != nil {
		return err
	}
	t.turnDetails.steered(ctx, out)
	if out.Messages > 0 {
		t.answers = t.runOpeningHooks(ctx, t.claims)
	}
	return nil
}

// claimSteering claims what waits. Nobody looks meanwhile at what came for the turn.
func (t *turnRun) claimSteering(ctx workflow.Context) (out turn.SteerOutput, err error) {
	t.steered, t.claiming = false, true
	defer func() { t.claiming = false }()
	t.claims++
	in := turn.SteerInput{Session: t.in.Session, Turn: t.id, N: t.claims}
	err = workflow.ExecuteLocalActivity(local(ctx, "steer"), activities.NameSteer, in).Get(ctx, &out)
	return out, err
}

func (s *turnDetails) steered(ctx workflow.Context, out turn.SteerOutput) {
	if out.Messages > 0 {
		s.add("steer", strconv.Itoa(out.Messages)+" messages", out.Words)
	}
	s.show(ctx, "")
}
