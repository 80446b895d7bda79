package turn

import (
	"context"
	"time"

	"xbot/activities"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/realtime"
)

// SpokenAnswers stores the answers of realtime sessions.
type SpokenAnswers interface {
	Look(ctx context.Context, exchange string, step int) (realtime.StepAnswer, error)
}

// awaitSpoken waits until a realtime session has answered a step and the user has heard the answer, which it sets in the attempt. It leaves the
// attempt unchanged if the session is gone: then the conversation's model answers. A stop ends the hearing, not the answer.
func (m *Model) awaitSpoken(ctx context.Context, a *attempt, exchange string) error {
	for {
		found, err := m.Spoken.Look(ctx, exchange, a.step.N)
		if err != nil {
			return err
		}
		if found.Released {
			return nil
		}
		answered := found.Answer.Finish != ""
		if answered && found.Wait <= 0 {
			a.spoken = &found.Answer
			return nil
		}
		select {
		case <-ctx.Done():
			if answered && activities.Stopped(ctx) {
				a.spoken = &found.Answer
				return nil
			}
			return context.Cause(ctx)
		case <-time.After(min(max(found.Wait, minLook), maxLook)):
		}
	}
}

// Bounds of the time until a step looks again for an answer, or for an interruption of it.
const (
	minLook = 20 * time.Millisecond
	maxLook = 250 * time.Millisecond
)

// keepSpoken commits the answer of a realtime session, also when the activity ends at this moment. Its calls are judged like those of a model.
func (m *Model) keepSpoken(ctx context.Context, a *attempt) (chat.Decision, error) {
	ctx, cancel := activities.Settling(ctx)
	defer cancel()
	var err error
	if _, a.tools, err = m.system(ctx, a.step); err != nil {
		return chat.Decision{}, err
	}
	if a.who, err = modelcall.ProfileOf(ctx, m.Profiles, a.step.Session); err != nil {
		return chat.Decision{}, err
	}
	a.model = realtime.ModelPrefix + a.spoken.Model
	answer := llm.Answer{Text: a.spoken.Text, Finish: llm.FinishReason(a.spoken.Finish), Usage: a.spoken.Usage, Model: a.spoken.Model}
	for _, c := range a.spoken.Calls {
		answer.ToolCalls = append(answer.ToolCalls, llm.ToolCall(c))
	}
	if m.Hooks != nil && len(answer.ToolCalls) > 0 {
		a.hooks = m.Hooks.For(ctx, a.step.Session)
	}
	said, err := m.commit(ctx, a, answer)
	if err != nil {
		return chat.Decision{}, err
	}
	said.Model = a.model
	return m.Turns.CommitStep(ctx, a.step, asShown(said, a.who.Contract))
}
