package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/agents"
	"xbot/internal/chat"
)

// idleTime is how long a subagent is held that has nothing to do.
const idleTime = 30 * time.Minute

// SubagentInput starts a subagent. It carries no task: those are rows that its turns claim.
type SubagentInput struct {
	Session chat.SessionKey `json:"session"`
	// Once is true if it answers once and ends.
	Once bool `json:"once,omitempty"`
	// Attributes is true if the namespace knows our search attributes.
	Attributes bool `json:"attributes,omitempty"`
	// Waits is as in TurnInput.
	Waits bool `json:"waits,omitempty"`
	// Next is set by continue-as-new: the run follows another one of the same chain.
	Next bool `json:"next,omitempty"`
	// Last is as in TurnInput.
	Last *TurnResult `json:"last,omitempty"`
}

// Subagent carries out the tasks of a subagent, each as a turn of its conversation and in a separate run. The transaction that ends the turn gives
// the answer to who asked. Between tasks it waits; after half an hour it unloads. All that it knows is in Postgres, so that the next task, at any
// time, finds the whole conversation.
func Subagent(ctx workflow.Context, in SubagentInput) (*TurnResult, error) {
	t := newTurn(ctx, TurnInput{Session: in.Session, Attributes: in.Attributes, Waits: in.Waits, Next: in.Next})
	if in.Next && in.Waits { // it has ended nothing yet
		upsert(ctx, AttrOutcome.ValueUnset())
	}
	for {
		t.inbox.drain()
		claimed, err := t.claim(ctx)
		if err != nil {
			return nil, err
		}
		if claimed {
			break
		}
		if rest, err := t.waitForTask(ctx, in.Once); err != nil || rest {
			return in.Last, err
		}
	}
	end := t.work(ctx)
	pending, result, err := t.finish(ctx, end)
	if err != nil || in.Once && !pending && !t.inbox.woken {
		return result, err
	}
	in.Next, in.Last = true, result
	return nil, continueAsNew(ctx, NameSubagent, in)
}

// waitForTask waits for a wake while there is nothing to do, and reports whether the subagent is done: it answers once, was unloaded, or was idle for
// long.
func (t *turnRun) waitForTask(ctx workflow.Context, once bool) (done bool, err error) {
	if once {
		return true, nil
	}
	if done, err := t.unloaded(ctx, false); err != nil || done {
		return done, err
	}
	workflow.SetCurrentDetails(ctx, "waits for a task")
	woken, err := t.waitForWake(ctx)
	if err != nil || woken {
		return false, err
	}
	return t.unloaded(ctx, true)
}

// waitForWake waits for a wake for as long as a subagent is held.
func (t *turnRun) waitForWake(ctx workflow.Context) (woken bool, err error) {
	waiting, done := workflow.WithCancel(ctx)
	defer done() // a wake cancels the timer
	timer := workflow.NewTimerWithOptions(waiting, idleTime, workflow.TimerOptions{Summary: "unloads then"})
	workflow.NewSelector(ctx).
		AddReceive(t.inbox.wakes, func(c workflow.ReceiveChannel, _ bool) { c.Receive(ctx, nil); woken = true }).
		AddFuture(timer, func(f workflow.Future) { err = f.Get(waiting, nil) }).
		Select(ctx)
	return woken, err
}

// unloaded reports whether the subagent was unloaded; late unloads it, unless there is something to do.
func (t *turnRun) unloaded(ctx workflow.Context, late bool) (bool, error) {
	in := agents.UnloadInput{Session: t.in.Session, Idle: late}
	var out agents.UnloadOutput
	err := workflow.ExecuteLocalActivity(localOptions(ctx, "rest"), activities.NameUnloadSubagent, in).Get(ctx, &out)
	return out.Unloaded, err
}
