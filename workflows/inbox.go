package workflows

import (
	"slices"
	"strconv"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/turn"
	"xbot/internal/chat"
)

// turnInbox is what arrives for a turn while it runs: wakes, and what the rows behind them say.
type turnInbox struct {
	session chat.SessionKey
	turn    chat.TurnID

	wakes workflow.ReceiveChannel
	woken bool // a wake came that no claim has followed yet

	stopped  bool          // a user asked to stop this turn
	broken   error         // why the rows could not be read; the turn ends
	steered  bool          // messages wait that are meant to reach this turn before its next step
	answered []chat.CallID // answers of users, as last read; calls that have acted on theirs are no longer among them
	reported []chat.CallID // calls whose subagents have answered, as last read

	claiming bool // the turn is claiming now
	claims   int  // how often it has claimed while it ran
}

// drain takes the wakes that came so far: the claim that follows sees their rows.
func (b *turnInbox) drain() {
	drainAll(b.wakes)
	b.woken = false
}

// drainLate takes the wakes that came after the last look at the rows.
func (b *turnInbox) drainLate() {
	for b.wakes.ReceiveAsync(nil) {
		b.woken = true
	}
}

// nextWake waits for a wake. It reports false, and takes none, once the context is cancelled.
func (b *turnInbox) nextWake(ctx workflow.Context) bool {
	ended := false
	workflow.NewSelector(ctx).
		AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) { ended = true }).
		AddReceive(b.wakes, func(c workflow.ReceiveChannel, _ bool) { c.Receive(ctx, nil); b.woken = true }).
		Select(ctx)
	return !ended
}

// peek reads the rows that arrived for the turn. If the turn has claimed messages during the read, the result may contain them, so peek reads
// again.
func (b *turnInbox) peek(ctx workflow.Context) (seen turn.PeekOutput, err error) {
	for {
		if err := workflow.Await(ctx, func() bool { return !b.claiming }); err != nil {
			return seen, err
		}
		claims, in := b.claims, turn.PeekInput{Session: b.session, Turn: b.turn, Known: b.reported}
		err := workflow.ExecuteLocalActivity(localOptions(ctx, "peek"), activities.NamePeek, in).Get(ctx, &seen)
		if err != nil || claims == b.claims {
			return seen, err
		}
		if seesAfresh(ctx) {
			seen = turn.PeekOutput{} // decoding a result keeps the fields that it omits: they would have the values of the former look
		}
	}
}

// seesAfresh reports whether peek clears the result before it reads again.
func seesAfresh(ctx workflow.Context) bool {
	const change = "a look that is done again sees afresh"
	return workflow.GetVersion(ctx, change, workflow.DefaultVersion, 1) > workflow.DefaultVersion
}

// claim claims the messages that are meant to steer the turn. The turn does not look for new messages in the meantime.
func (b *turnInbox) claim(ctx workflow.Context) (out turn.SteerOutput, err error) {
	b.steered, b.claiming = false, true
	defer func() { b.claiming = false }()
	b.claims++
	in := turn.SteerInput{Session: b.session, Turn: b.turn, N: b.claims}
	err = workflow.ExecuteLocalActivity(localOptions(ctx, "steer"), activities.NameSteer, in).Get(ctx, &out)
	return out, err
}

// addReported adds calls whose subagents have answered. They are never fewer: of two looks that overlap the older may end last.
func (b *turnInbox) addReported(calls []chat.CallID) {
	for _, id := range calls {
		if !b.hasReport(id) {
			b.reported = append(b.reported, id)
		}
	}
}

func (b *turnInbox) hasReport(id chat.CallID) bool { return slices.Contains(b.reported, id) }

func (b *turnInbox) hasAnswer(id chat.CallID) bool { return slices.Contains(b.answered, id) }

// forgetAnswer forgets the answer of a call that asks something else.
func (b *turnInbox) forgetAnswer(id chat.CallID) {
	b.answered = slices.DeleteFunc(b.answered, func(other chat.CallID) bool { return other == id })
}

// steer takes in the messages that are meant to reach the turn while it runs, before its next step. Calls of the last step that have not begun are
// skipped: the model decides again, with the new messages.
func (t *turnRun) steer(ctx workflow.Context) error {
	if !t.inbox.steered {
		return nil
	}
	out, err := t.inbox.claim(ctx)
	if err != nil {
		return err
	}
	t.details.steered(ctx, out)
	if out.Messages > 0 {
		t.answers = t.runOpeningHooks(ctx, t.inbox.claims)
	}
	return nil
}

func (s *turnDetails) steered(ctx workflow.Context, out turn.SteerOutput) {
	if out.Messages > 0 {
		s.add("steer", strconv.Itoa(out.Messages)+" messages", out.Words)
	}
	s.show(ctx, "")
}
