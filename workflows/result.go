package workflows

import (
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"xbot/activities/turn"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// TurnResult is how a turn ended, for operators: the result of its run, which needs no worker to be read. A run that continues as
// new hands it on as Last of the next one's input.
type TurnResult struct {
	Turn    chat.TurnID    `json:"turn"`
	Outcome chat.TurnState `json:"outcome"`
	// Reason is the kind of what went wrong, or stopped, loop, step_limit; empty: nothing did. It holds no text of users or models.
	Reason  string       `json:"reason,omitempty"`
	Inbox   chat.InboxID `json:"inbox,omitempty"`   // the message that was answered
	Message int64        `json:"message,omitempty"` // the newest answer
	Model   string       `json:"model,omitempty"`
	Steps   int          `json:"steps"`
	Tokens  int64        `json:"tokens"`
	CostUSD *float64     `json:"cost_usd,omitempty"` // where prices are known
}

// Reasons in addition to the kinds of errors.
const (
	reasonStopped   = "stopped"
	reasonLoop      = "loop"
	reasonStepLimit = "step_limit"
)

func (t *turnRun) result(end turnEnd, out turn.FinishOutput) *TurnResult {
	r := &TurnResult{
		Turn: t.id, Outcome: end.state, Reason: end.reason, Inbox: t.claimed.Inbox, Message: out.Message, Model: t.claimed.Model,
		Steps: t.details.steps, Tokens: max(out.Tokens, int64(t.details.token)), CostUSD: out.CostUSD,
	}
	if end.state == chat.TurnStopped {
		r.Reason = reasonStopped
	}
	return r
}

// kindOf returns the kind of an error of an activity.
func kindOf(err error) string {
	if e, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return e.Type()
	}
	if isTimeout(err) {
		return string(fault.Unavailable)
	}
	return string(fault.Internal)
}

// reasonOf returns why the model gave no answer.
func reasonOf(d turn.GenerateOutput) string {
	if d.Finish == chat.FinishLoop {
		return reasonLoop
	}
	return d.Fault
}

// upsert changes search attributes. If Temporal refuses one, the run is missing in lists of operators; the turn continues.
func upsert(ctx workflow.Context, attributes ...temporal.SearchAttributeUpdate) {
	if err := workflow.UpsertTypedSearchAttributes(ctx, attributes...); err != nil {
		workflow.GetLogger(ctx).Warn("search attributes not changed", "error", err)
	}
}
