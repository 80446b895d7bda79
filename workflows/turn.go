package workflows

import (
	"errors"
	"strconv"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/hooks"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// TurnInput starts a turn of a session. It carries no message: the turn claims what waits in the inbox.
type TurnInput struct {
	Session chat.SessionKey `json:"session"`
	// Attributes is true if the namespace knows our search attributes.
	Attributes bool `json:"attributes,omitempty"`
	// Waits is true if it knows AttrWaits and AttrParent, too.
	Waits bool `json:"waits,omitempty"`
	// Next is set by continue-as-new: the run follows another one of the same chain.
	Next bool `json:"next,omitempty"`
	// Last is how the turn of the run before ended, for operators.
	Last *TurnResult `json:"last,omitempty"`
}

// Turn answers one message of a session: it claims it, has the model think and act, and finishes. Messages that wait at the end are answered by the
// next run of the same id.
func Turn(ctx workflow.Context, in TurnInput) (*TurnResult, error) {
	t := newTurn(ctx, in)
	t.inbox.drain()
	if claimed, err := t.claim(ctx); err != nil || !claimed {
		return in.Last, err
	}
	end := t.work(ctx)
	pending, result, err := t.finish(ctx, end)
	if err != nil {
		return nil, err
	}
	if pending || t.inbox.woken {
		return nil, continueAsNew(ctx, NameTurn, TurnInput{Session: in.Session, Attributes: in.Attributes, Waits: in.Waits, Next: true, Last: result})
	}
	return result, nil
}

func newTurn(ctx workflow.Context, in TurnInput) *turnRun {
	t := &turnRun{in: in, id: chat.TurnID(workflow.GetInfo(ctx).OriginalRunID)}
	t.inbox = turnInbox{session: in.Session, turn: t.id, wakes: workflow.GetSignalChannel(ctx, SignalWake)}
	t.waits = turnWaits{shown: in.Waits, details: &t.details}
	t.calls = runningCalls{away: map[chat.CallID]func(){}, waits: &t.waits}
	return t
}

// turnRun is one run of a turn. Nothing of it survives the run.
type turnRun struct {
	in       TurnInput
	id       chat.TurnID
	claimed  turn.ClaimOutput
	answers  bool // hooks have left something to answer
	cancel   workflow.CancelFunc
	inbox    turnInbox
	waits    turnWaits
	calls    runningCalls
	quick    quickBudget
	provider *providerWait // the activity that waits for the provider; nil: none does
	details  turnDetails
}

// turnEnd is how a turn ends.
type turnEnd struct {
	state chat.TurnState
	say   i18n.ID // the notice for the user in addition to the transcript
	steps int
	// reason is the kind of what went wrong, for operators.
	reason string
}

func (t *turnRun) claim(ctx workflow.Context) (bool, error) {
	in := turn.ClaimInput{Session: t.in.Session, Turn: t.id, Run: workflow.GetInfo(ctx).WorkflowExecution.RunID}
	err := workflow.ExecuteLocalActivity(localOptions(ctx, "claim"), activities.NameClaim, in).Get(ctx, &t.claimed)
	if err != nil || !t.claimed.Claimed {
		t.showSlotWait(ctx)
		return false, err
	}
	t.inbox.steered, t.quick.model = t.claimed.Steer, t.claimed.Quick
	t.details.begin(ctx, t.in.Session, t.claimed)
	switch {
	case t.in.Waits:
		upsert(ctx, AttrOutcome.ValueUnset(), AttrModel.ValueSet(t.claimed.Model))
	case t.in.Next && t.in.Attributes: // the outcome of the run before is inherited
		err = workflow.UpsertTypedSearchAttributes(ctx, AttrOutcome.ValueUnset())
	}
	return true, err
}

// work carries out what was claimed: a message to the model, or a command. A turn that has ended before is only finished again: what
// comes after its end may be missing.
func (t *turnRun) work(ctx workflow.Context) turnEnd {
	if t.claimed.Ended != "" {
		return turnEnd{state: t.claimed.Ended}
	}
	if t.claimed.Control != "" {
		return t.control(ctx)
	}
	return t.run(ctx)
}

// run thinks and acts until the model has answered, a user stops it, or a limit is reached.
func (t *turnRun) run(ctx workflow.Context) turnEnd {
	ctx, t.cancel = workflow.WithCancel(ctx)
	defer t.cancel()
	workflow.Go(ctx, t.handleWakes)
	workflow.Go(ctx, t.calls.followRunners)
	t.answers = t.runOpeningHooks(ctx, 0)
	if err := t.steer(ctx); err != nil { // more came before the claim
		return t.stoppedOrFailed(ctx, err)
	}
	if !t.answers {
		return turnEnd{state: chat.TurnDone}
	}
	for step := range t.claimed.MaxSteps {
		decision, err := t.decide(ctx, step)
		switch {
		case t.inbox.broken != nil:
			return failed(t.inbox.broken)
		case t.inbox.stopped || decision.Finish == chat.FinishStopped || temporal.IsCanceledError(err):
			return turnEnd{state: chat.TurnStopped, say: i18n.Stopped}
		case err != nil:
			return failed(err)
		case decision.Finish == chat.FinishError || decision.Finish == chat.FinishLoop:
			return turnEnd{state: chat.TurnFailed, reason: reasonOf(decision)}
		case len(decision.Calls) == 0:
			return turnEnd{state: chat.TurnDone}
		}
		t.runCalls(ctx, step, decision.Calls)
		t.notifyHooks(ctx, hooks.RunInput{Point: hooks.PointBatch, Step: step})
		if t.handsOver(ctx, decision.Calls) {
			return turnEnd{state: chat.TurnDone}
		}
		if err := t.steer(ctx); err != nil || t.inbox.stopped || ctx.Err() != nil {
			return t.stoppedOrFailed(ctx, err)
		}
	}
	return turnEnd{state: chat.TurnFailed, say: i18n.StepLimit, steps: t.claimed.MaxSteps, reason: reasonStepLimit}
}

// failed returns the end of a turn by an internal error.
func failed(err error) turnEnd {
	return turnEnd{state: chat.TurnFailed, say: sentenceOf(err), reason: kindOf(err)}
}

// sentenceOf returns the text of an error for the user.
func sentenceOf(err error) i18n.ID {
	if kindOf(err) == activities.CrashedType {
		return i18n.Crashed
	}
	return i18n.Broken
}

// stoppedOrFailed returns how a turn ends between two steps: a user stopped it, or something failed.
func (t *turnRun) stoppedOrFailed(ctx workflow.Context, err error) turnEnd {
	if t.inbox.broken != nil {
		return failed(t.inbox.broken)
	}
	if t.inbox.stopped || ctx.Err() != nil {
		return turnEnd{state: chat.TurnStopped, say: i18n.Stopped}
	}
	return failed(err)
}

// handleWakes follows wakes while the turn runs: a stop cancels the running step, an answer makes its call continue, a message that is meant to steer is
// taken in before the next step, another one waits for the end.
func (t *turnRun) handleWakes(ctx workflow.Context) {
	for {
		if !t.inbox.nextWake(ctx) {
			return
		}
		if t.readInbox(ctx) {
			return
		}
	}
}

// readInbox reads what came for the turn, and reports whether that ends it.
func (t *turnRun) readInbox(ctx workflow.Context) (ended bool) {
	peek, err := t.inbox.peek(ctx)
	if err != nil {
		t.endUnread(ctx, err)
		return true // cancelled: the turn has ended
	}
	if peek.Stop {
		t.inbox.stopped = true
		t.cancel()
		return true
	}
	t.inbox.answered, t.inbox.steered = peek.Answered, t.inbox.steered || peek.Steer
	t.hasten(ctx)
	t.inbox.addReported(peek.Reported)
	return false
}

// endUnread ends the turn if what came for it cannot be read: the turn would see no stop and no answer, and might wait forever.
func (t *turnRun) endUnread(ctx workflow.Context, err error) {
	const change = "a turn that cannot read what came for it ends"
	if broken(err) && workflow.GetVersion(ctx, change, workflow.DefaultVersion, 1) > workflow.DefaultVersion {
		t.inbox.broken = err
		t.cancel()
	}
}

func (t *turnRun) generate(ctx workflow.Context, in turn.GenerateInput) (turn.GenerateOutput, error) {
	summary := t.claimed.Model + " · step " + strconv.Itoa(in.Step+1)
	if in.Waiting {
		summary = "waits for the provider · " + summary
	} else {
		t.details.stepStarted(ctx, in.Step)
	}
	out, ended, err := t.tryModel(ctx, &in, summary)
	if !ended {
		out = turn.GenerateOutput{}
		err = workflow.ExecuteActivity(modelOptions(ctx, summary), activities.NameGenerate, in).Get(ctx, &out)
		t.quick.taskBegan()
	}
	t.quick.model = out.Quick
	t.details.stepEnded(ctx, out)
	return out, err
}

// finish closes the turn and reads what waits, after it has drained the wakes: a wake that comes later than that is
// seen by the caller.
func (t *turnRun) finish(ctx workflow.Context, end turnEnd) (pending bool, result *TurnResult, err error) {
	ctx, _ = workflow.NewDisconnectedContext(ctx) // a run cancelled from outside is finished all the same
	t.details.end(ctx, end.state)
	if t.in.Attributes {
		outcome, model := AttrOutcome.ValueSet(string(end.state)), AttrModel.ValueSet(t.claimed.Model)
		if err := workflow.UpsertTypedSearchAttributes(ctx, outcome, model); err != nil {
			return false, nil, err
		}
	}
	t.inbox.drain()
	in := turn.FinishInput{Session: t.in.Session, Turn: t.id, State: end.state, Say: end.say, Steps: end.steps}
	var out turn.FinishOutput
	if err := workflow.ExecuteLocalActivity(localOptions(ctx, "finish"), activities.NameFinish, in).Get(ctx, &out); err != nil {
		return false, nil, err
	}
	t.runClosingHooks(ctx)
	t.beginTitle(ctx, out)
	t.inbox.drainLate()
	result = t.result(end, out)
	t.details.ended(ctx, result)
	return out.Pending, result, nil
}

// broken reports whether an activity ended for another reason than a cancellation.
func broken(err error) bool { return err != nil && !temporal.IsCanceledError(err) }

// isTimeout reports whether an activity ended because of a timeout.
func isTimeout(err error) bool {
	var timeout *temporal.TimeoutError
	return errors.As(err, &timeout)
}
