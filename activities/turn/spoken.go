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
	StepAnswer(ctx context.Context, exchange string, step int) (realtime.StepAnswer, error)
}

// awaitSpoken waits until a realtime session has answered a step and the audio of the answer has been played, and sets the answer in the attempt. If the
// exchange was released, it leaves the attempt unchanged: the conversation's model answers. A stop ends the wait for the audio and keeps the answer.
func (m *Model) awaitSpoken(ctx context.Context, a *attempt, exchange string) error {
	for {
		found, err := m.Spoken.StepAnswer(ctx, exchange, a.step.N)
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
		case <-time.After(min(max(found.Wait, minPoll), maxPoll)):
		}
	}
}

// Bounds of the interval at which a step reads the answer, or an interruption of it.
const (
	minPoll = 20 * time.Millisecond
	maxPoll = 250 * time.Millisecond
)

// commitSpoken commits the answer of a realtime session, also if the activity is being cancelled. Its calls pass the same rules as those of a model.
func (m *Model) commitSpoken(ctx context.Context, a *attempt) (chat.Decision, error) {
	ctx, cancel := activities.Settling(ctx)
	defer cancel()
	var err error
	if _, a.tools, err = m.system(ctx, a.step); err != nil {
		return chat.Decision{}, err
	}
	if a.who, err = modelcall.ProfileOf(ctx, m.Profiles, a.step.Session); err != nil {
		return chat.Decision{}, err
	}
	a.model, a.answered = realtime.ModelPrefix+a.spoken.Model, a.spoken.Model
	answer := llm.Answer{Text: a.spoken.Text, Finish: llm.FinishReason(a.spoken.Finish), Usage: a.spoken.Usage, Model: a.spoken.Model}
	for _, c := range a.spoken.Calls {
		answer.ToolCalls = append(answer.ToolCalls, llm.ToolCall(c))
	}
	if m.Hooks != nil && len(answer.ToolCalls) > 0 {
		a.hooks = m.Hooks.For(ctx, a.step.Session)
	}
	out, err := m.commit(ctx, a, answer)
	if err != nil {
		return chat.Decision{}, err
	}
	out.Model, out.Call = a.model, a.record()
	return m.Turns.CommitStep(ctx, a.step, asShown(out, a.who.Contract))
}
