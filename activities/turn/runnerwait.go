package turn

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"xbot/internal/chat"
	"xbot/internal/sandbox"
)

// SignalRunner is the signal that a call of the turn waits for its runner, or waits no more.
const SignalRunner = "runner"

// RunnerSignal names a call that waits for its runner, or waits no more.
type RunnerSignal struct {
	Call chat.CallID `json:"call"`
	Away string      `json:"away,omitempty"` // the runner that is away; empty: it is there
}

// signalTimeout bounds a signal: only operators see its effect, so the call does not wait longer for it.
const signalTimeout = 2 * time.Second

// signalRunnerWaits signals the turn of a call when the call waits for its runner. If the signal is lost, operators miss one
// line.
func signalRunnerWaits(ctx context.Context, call chat.CallID) context.Context {
	return sandbox.WithWaitObserver(ctx, func(runner string, waits bool) {
		s := RunnerSignal{Call: call}
		if waits {
			s.Away = runner
		}
		run := activity.GetInfo(ctx).WorkflowExecution
		telling, cancel := context.WithTimeout(context.WithoutCancel(ctx), signalTimeout)
		defer cancel()
		if err := activity.GetClient(ctx).SignalWorkflow(telling, run.ID, run.RunID, SignalRunner, s); err != nil {
			activity.GetLogger(ctx).Warn("the turn was not told of a wait for its runner", "call", string(call), "error", err)
		}
	})
}
