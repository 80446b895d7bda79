package workflows

import (
	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/hooks"
	"xbot/activities/turn"
	"xbot/internal/chat"
)

// askAndRunCall runs a call that needs a user's permission, once it is answered. Denied calls run as well: the activity
// refuses them, so that what may run is decided in one place, by the row. A call that waits holds no slot.
func (t *turnRun) askAndRunCall(ctx workflow.Context, id chat.CallID, call turn.CallOutput, slots workflow.Semaphore) {
	if t.settled(ctx, id, call) {
		return
	}
	if err := t.ask(ctx, id, call); err != nil {
		if broken(err) {
			t.abandonCall(ctx, id, err)
		}
		return
	}
	if t.inbox.steered && !t.inbox.hasAnswer(id) {
		return // the user wrote something else instead of an answer: steer skips the call
	}
	t.notifyHooks(ctx, hooks.RunInput{Point: hooks.PointRefused, Call: id})
	if slots.Acquire(ctx, 1) != nil {
		return // stopped
	}
	defer slots.Release(1)
	t.runCallWithHooks(ctx, id, call)
}

// ask opens the question and waits for its answer, for days if need be. The answer is a row; the wake that follows it
// makes handleWakes read it. When the time is up the call is denied, unless an answer came at the last moment.
func (t *turnRun) ask(ctx workflow.Context, id chat.CallID, call turn.CallOutput) error {
	var question turn.AskOutput
	asking := localOptions(ctx, "ask · "+label(call))
	if err := workflow.ExecuteLocalActivity(asking, activities.NameAsk, turn.AskInput{Call: id}).Get(ctx, &question); err != nil {
		return err
	}
	if !question.Open {
		return nil // answered before, in a run that was reset
	}
	defer t.waits.show(ctx, questionOf(call))()
	waiting, done := workflow.WithCancel(ctx)
	defer done() // an answer cancels the timer
	wait := workflow.AwaitOptions{Timeout: question.Wait, TimerOptions: workflow.TimerOptions{Summary: summaryOf(waitingFor(call))}}
	answered, err := workflow.AwaitWithOptions(waiting, wait, func() bool { return t.inbox.steered || t.inbox.hasAnswer(id) })
	t.quick.taskBegan()
	if err != nil || answered {
		return err
	}
	return workflow.ExecuteLocalActivity(localOptions(ctx, "expire"), activities.NameExpire, turn.ExpireInput{Call: id}).Get(ctx, nil)
}

// askAgain asks what a call that has begun has to know before it continues, and reports whether it is made again.
func (t *turnRun) askAgain(ctx workflow.Context, id chat.CallID, call turn.CallOutput) (again bool, err error) {
	call.Inquires = true
	t.inbox.forgetAnswer(id)
	if err := t.ask(ctx, id, call); err != nil {
		return false, err
	}
	return !t.inbox.steered || t.inbox.hasAnswer(id), nil
}

// settled asks the hooks before a user is asked, and reports whether there is nothing to ask any more.
func (t *turnRun) settled(ctx workflow.Context, id chat.CallID, call turn.CallOutput) bool {
	if call.Inquires {
		return false
	}
	out, err := t.runHooks(ctx, hooks.RunInput{Point: hooks.PointQuestion, Call: id})
	return out.Refused || err != nil && !broken(err)
}

// questionOf returns what a call waits for.
func questionOf(call turn.CallOutput) wait {
	if call.Inquires {
		return wait{WaitsQuestion, "an answer: " + label(call)}
	}
	return wait{WaitsApproval, "approval: " + label(call)}
}

// waitingFor returns the reason for waiting, for an operator.
func waitingFor(call turn.CallOutput) string { return "waiting for " + questionOf(call).say }
