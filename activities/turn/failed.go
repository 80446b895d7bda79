package turn

import (
	"context"
	"errors"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm"
)

// failed counts a failure of the provider and asks for another attempt, or ends the step with a sentence.
func (m *Model) failed(ctx context.Context, a *attempt, cause error) (chat.Decision, error) {
	step := a.step
	if fault.PartOf(cause) != "" {
		return chat.Decision{}, cause // the call needed a part of xbot that is away: the provider has not failed
	}
	kind := fault.KindOf(cause)
	switch kind {
	case fault.RateLimited, fault.Unavailable:
		return m.again(ctx, a, kind, cause)
	case fault.TooLarge:
		return m.Turns.FailStep(ctx, step, a.record(), kind, func(l i18n.Lang) string { return i18n.Say(l, i18n.ModelTooLong) })
	case fault.Internal:
		return chat.Decision{}, cause
	}
	return m.refused(ctx, a, kind, cause)
}

// again asks for another attempt after a pause, until there have been as many as are made.
func (m *Model) again(ctx context.Context, a *attempt, kind fault.Kind, cause error) (chat.Decision, error) {
	step, reason := a.step, llm.Reason(cause)
	var delay time.Duration
	failures, err := m.Turns.CountFailure(ctx, step, func(failures int, lang i18n.Lang) (chat.Retry, bool) {
		delay = m.Retry.Pause(failures, cause)
		return chat.Retry{
			Turn: step.Turn, Step: step.N, Attempt: failures + 1, Failed: a.n, Max: m.Retry.Attempts, DelayMS: delay.Milliseconds(), Reason: reason,
			Text: i18n.Say(lang, i18n.Retrying, i18n.Reason(lang, reason), failures+1, m.Retry.Attempts),
		}, failures < m.Retry.Attempts
	})
	if err != nil {
		return chat.Decision{}, err
	}
	if failures >= m.Retry.Attempts {
		if d, waits, err := m.wait(ctx, a, failures, cause); waits || err != nil {
			return d, err
		}
		if err := m.tellCause(ctx, a, i18n.ModelCause, reason, cause); err != nil {
			return chat.Decision{}, err
		}
		return m.Turns.FailStep(ctx, step, a.record(), kind, func(l i18n.Lang) string { return i18n.Say(l, i18n.ModelFailed, failures, reason) })
	}
	return chat.Decision{}, fault.Later(kind, delay, "attempt %d of %d: %w", failures, m.Retry.Attempts, cause)
}

// refused ends a step whose model refused the request, or could not be called. The cause has addresses, ends of keys and settings of the
// server in it: it is for who can do something about it. Others read what they can do.
func (m *Model) refused(ctx context.Context, a *attempt, kind fault.Kind, cause error) (chat.Decision, error) {
	_, notCalled := errors.AsType[llm.NotCalled](cause)
	full, plain, what := i18n.ModelRefused, i18n.ModelRefusedPlain, string(kind)
	if notCalled {
		full, plain, what = i18n.ModelNotCalled, i18n.ModelNotCalledPlain, cause.Error()
	}
	if a.readsCauses(cause) {
		return m.Turns.FailStep(ctx, a.step, a.record(), kind, func(l i18n.Lang) string { return i18n.Say(l, full, cause.Error()) })
	}
	say := i18n.ModelCause
	if notCalled {
		say = i18n.ModelCauseNotCalled
	}
	if err := m.tellCause(ctx, a, say, what, cause); err != nil {
		return chat.Decision{}, err
	}
	return m.Turns.FailStep(ctx, a.step, a.record(), kind, func(l i18n.Lang) string { return i18n.Say(l, plain) })
}

// readsCauses reports whether the reader here may read a cause as it is: an administrator, alone, or the user whose account it is about.
func (a *attempt) readsCauses(cause error) bool {
	_, own := errors.AsType[llm.OfOwnAccount](cause)
	return a.who.Trusted || own && a.who.Direct
}

// tellCause notifies an administrator why a model does not answer, unless they read it here.
func (m *Model) tellCause(ctx context.Context, a *attempt, say i18n.ID, what string, cause error) error {
	if _, own := errors.AsType[llm.OfOwnAccount](cause); own || a.readsCauses(cause) {
		return nil
	}
	of := chat.NoticeKey{Topic: chat.TopicCause, About: "model " + a.model, What: what}
	_, err := m.Notices.NotifyAdministrator(ctx, of, func(l i18n.Lang) string { return i18n.Say(l, say, a.model, cause.Error()) })
	return err
}
