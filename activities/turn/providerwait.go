package turn

import (
	"context"
	"errors"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
)

// attemptStep makes one attempt of a step. While the provider is waited for, that is one look at what came, and one call: the pauses
// between two of them are Temporal's, so that a turn which waits holds nothing and leaves nothing in its history.
func (m *Model) attemptStep(ctx context.Context, a *attempt) (chat.Decision, error) {
	if !a.waiting {
		return m.decide(ctx, a)
	}
	pause, err := m.Turns.ProviderDue(ctx, a.step.Turn, a.hastened)
	if err != nil {
		return chat.Decision{}, err
	}
	if pause > 0 {
		return chat.Decision{}, fault.Limited(pause, "the provider cannot be reached; the turn waits")
	}
	if !a.steered { // or what cannot be taken in yet would be looked for without an end
		if steer, err := m.Turns.SteerWaits(ctx, a.step.Session, a.step.Turn); err != nil || steer {
			return chat.Decision{Steer: steer}, err
		}
	}
	return m.decide(ctx, a)
}

// wait makes the turn wait for its provider after so many failures; waits is false where the step has to fail.
func (m *Model) wait(ctx context.Context, a *attempt, failures int, cause error) (d chat.Decision, waits bool, err error) {
	if !a.mayWait || errors.Is(cause, llm.ErrEmpty) {
		return d, false, nil
	}
	reason := llm.Reason(cause)
	pause, waits, err := m.Turns.WaitForProvider(ctx, a.step, chat.ProviderFailure{
		Reason: reason, Attempt: a.n, Pause: m.Retry.LongPause(failures-m.Retry.Attempts, cause), LeastPause: m.Retry.LongPause(0, cause),
	})
	switch {
	case err != nil || !waits:
		return d, false, err
	case a.waiting:
		return d, true, fault.Limited(pause, "the provider cannot be reached; the turn waits: %w", cause)
	}
	return chat.Decision{Wait: reason}, true, nil
}

// HastenInput names a turn that waits for its provider.
type HastenInput struct {
	Turn chat.TurnID `json:"turn"`
}

// HastenOutput names the message that has brought the next attempt forward, 0 for none, and counts the attempts of the step so far.
type HastenOutput struct {
	By       chat.InboxID `json:"by,omitempty"`
	Attempts int          `json:"attempts,omitempty"`
}

// Hasten brings the next attempt forward where a user has written while the turn waits: they are there to read an answer. Two attempts stay apart by
// the first pause of a wait, however much is written. From then on only the activity that knows of the message asks, so that the one before may be
// cancelled: it makes no call.
func (m *Model) Hasten(ctx context.Context, in HastenInput) (HastenOutput, error) {
	by, attempts, err := m.Turns.HastenProvider(ctx, in.Turn)
	return HastenOutput{By: by, Attempts: attempts}, activities.Failure(ctx, err)
}
