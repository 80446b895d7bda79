package workflows

import (
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"xbot/activities"
	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// maxParallel is how many reading calls run at once.
const maxParallel = 8

// maxAgents is how many calls wait for subagents at once.
const maxAgents = 5

// runCalls runs the calls of a step in the order the model gave them: neighbours that only read run together, and so do those that ask
// subagents, the others one after another. A call that cannot run leaves its result to finish, which gives every call a pair; where a message
// steers the turn, the calls that have not begun are skipped, and steer gives them theirs.
func (t *turnRun) runCalls(ctx workflow.Context, step int, calls []turn.CallOutput) {
	for first := 0; first < len(calls) && !t.inbox.stopped && !t.inbox.steered; {
		if calls[first].Class == chat.ClassClient { // the program that asked runs it
			first++
			continue
		}
		last := first + 1
		for runsInParallel(calls[first].Class) && last < len(calls) && calls[last].Class == calls[first].Class {
			last++
		}
		t.runParallel(ctx, step, first, calls[first:last])
		first = last
	}
}

// handsOver reports whether the turn ends because the program that asked has calls to run; its next request begins a turn with their results.
// A message that steers the turn makes it continue without them. Older histories have no client calls, so this needs no version.
func (t *turnRun) handsOver(ctx workflow.Context, calls []turn.CallOutput) bool {
	has := slices.ContainsFunc(calls, func(c turn.CallOutput) bool { return c.Class == chat.ClassClient })
	return has && !t.inbox.stopped && !t.inbox.steered && ctx.Err() == nil
}

// runsInParallel reports whether neighbouring calls of a class run together.
func runsInParallel(class chat.ToolClass) bool {
	return class == chat.ClassRead || class == chat.ClassAgent
}

// runParallel runs neighbouring calls, at most maxParallel at a time, or maxAgents.
func (t *turnRun) runParallel(ctx workflow.Context, step, first int, calls []turn.CallOutput) {
	slots := workflow.NewSemaphore(ctx, maxParallel)
	if calls[0].Class == chat.ClassAgent {
		slots = workflow.NewSemaphore(ctx, maxAgents)
	}
	done := workflow.NewWaitGroup(ctx)
	for i, call := range calls {
		id := chat.NewCallID(t.id, step, first+i)
		if call.Ask || call.Hook {
			done.Add(1)
			workflow.Go(ctx, func(ctx workflow.Context) {
				defer done.Done()
				t.checkAndRunCall(ctx, id, call, slots)
			})
			continue
		}
		if slots.Acquire(ctx, 1) != nil {
			break // stopped
		}
		done.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer done.Done()
			defer slots.Release(1)
			t.runCallWithHooks(ctx, id, call)
		})
	}
	joined, _ := workflow.NewDisconnectedContext(ctx) // also after a stop, calls that were started are waited for
	done.Wait(joined)
}

func (t *turnRun) call(ctx workflow.Context, id chat.CallID, call turn.CallOutput) {
	t.details.callStarted(ctx, call)
	if call.Class == chat.ClassAgent {
		t.delegate(ctx, id, call)
		return
	}
	out, err := t.runTool(ctx, id, call)
	for err == nil && out.Asks {
		var again bool
		if again, err = t.askAgain(ctx, id, call); !again {
			break
		}
		out, err = t.runTool(ctx, id, call)
	}
	if err != nil && call.Class == chat.ClassExec && (t.inbox.stopped || ctx.Err() != nil) {
		err = t.interrupt(ctx, id, err)
	}
	if broken(err) {
		t.abandonCall(ctx, id, err)
	}
	t.details.callEnded(ctx, call, out.Error || err != nil)
}

// interrupt ends the command of a call of a stopped turn whose activity ended without having done so: its worker was killed. It
// returns the cause where that could not be done.
func (t *turnRun) interrupt(ctx workflow.Context, id chat.CallID, cause error) error {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	if workflow.GetVersion(ctx, "a stop ends the command of a lost worker", workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return cause
	}
	err := workflow.ExecuteActivity(interruptOptions(ctx), activities.NameInterrupt, turn.ToolInput{Call: id}).Get(ctx, nil)
	if err != nil {
		t.abandonCall(ctx, id, cause)
		workflow.GetLogger(ctx).Warn("the command of a stopped call could not be ended yet; its kill is noted", "call", string(id), "error", err)
	}
	return nil
}

// label returns a call as an operator reads it.
func label(call turn.CallOutput) string {
	return strings.TrimSuffix(call.Name+" · "+call.Summary, " · ")
}

// abandonCall records that the outcome of a call is unknown, so that the model can continue from there.
func (t *turnRun) abandonCall(ctx workflow.Context, id chat.CallID, cause error) {
	t.abandon(ctx, turn.AbandonInput{Call: id, Broken: isFault(cause), Crashed: kindOf(cause) == activities.CrashedType})
}

// isFault reports whether an activity ended because of a fault in xbot. One that was cancelled, that timed out, or that a part of xbot was away for,
// ended without one: how far it got is not known.
func isFault(err error) bool { return broken(err) && kindOf(err) != string(fault.Unavailable) }

func (t *turnRun) abandon(ctx workflow.Context, in turn.AbandonInput) {
	if err := workflow.ExecuteLocalActivity(localOptions(ctx, "abandon"), activities.NameAbandon, in).Get(ctx, nil); err != nil {
		workflow.GetLogger(ctx).Warn("result of an abandoned call not recorded", "call", string(in.Call), "error", err)
	}
}
