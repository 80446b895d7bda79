package activities

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"

	"go.temporal.io/sdk/activity"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/phrase"
	"xbot/internal/prompt"
	"xbot/internal/tool"
)

// Steps keeps the steps of turns.
type Steps interface {
	BeginStep(ctx context.Context, step chat.Step) (failures int, stored chat.Decision, done bool, err error)
	Window(ctx context.Context, key chat.SessionKey) (chat.Window, error)
	CommitStep(ctx context.Context, step chat.Step, a chat.Answer) (chat.Decision, error)
	FailStep(ctx context.Context, step chat.Step, kind fault.Kind, say func(phrase.Lang) string) (chat.Decision, error)
	CountFailure(ctx context.Context, step chat.Step, retry func(failures int, lang phrase.Lang) (chat.Retry, bool)) (int, error)
}

// Stream is where an attempt writes while it goes on.
type Stream interface {
	llm.Sink
	Written() (text, reasoning string)
	Close()
}

// Catalog says what tools there are.
type Catalog interface {
	Specs() []tool.Spec
	Name(name string) string
	Class(name string) chat.ToolClass
	Summary(name, arguments string) string
}

// Retry is the retry policy for provider failures (spec/001 §7.1).
type Retry struct {
	Attempts int           // calls in all; default 5
	Delay    time.Duration // before the second; doubles; default 1 s
	MaxDelay time.Duration // default 30 s
}

// Models finds the model that answers in a session. It does not call it.
type Models interface {
	For(ctx context.Context, key chat.SessionKey) (llm.Client, error)
}

// Model makes the LLM calls of turns.
type Model struct {
	Models Models
	Steps  Steps
	Tools  Catalog
	// Prompts makes system prompts; nil is BasePrompt.
	Prompts Prompts
	Open    func(step chat.Step, attempt int) Stream
	Retry   Retry
	Rules   map[string]chat.Rule // what the installation wants of tools, by name; others are allowed
}

// maxCalls bounds the tool calls of one answer; further ones are dropped and the model sees only those that ran.
const maxCalls = 64

// GenerateInput names a step.
type GenerateInput struct {
	Session chat.SessionKey `json:"session"`
	Turn    chat.TurnID     `json:"turn"`
	Step    int             `json:"step"`
	// Compressed counts the compressions that were made for this step before.
	Compressed int `json:"compressed,omitempty"`
}

// GenerateOutput is the decision of a step, small enough for a history: texts stay in Postgres.
type GenerateOutput struct {
	Finish string       `json:"finish"`
	Fault  string       `json:"fault,omitempty"`
	Calls  []CallOutput `json:"calls,omitempty"`
	Tokens int          `json:"tokens,omitempty"` // prompt and completion of this call
	// Compress is the trigger of a compression that has to come first: nothing was decided, and the step is open.
	Compress string `json:"compress,omitempty"`
}

// CallOutput is a call to make. Its id follows from turn, step and place.
type CallOutput struct {
	Name    string         `json:"name"`
	Class   chat.ToolClass `json:"class"`
	Summary string         `json:"summary,omitempty"`
	Ask     bool           `json:"ask,omitempty"` // a person has to permit it first
}

// Generate makes one LLM call of a turn and commits what came of it. If an earlier attempt committed, that stands.
func (m *Model) Generate(ctx context.Context, in GenerateInput) (GenerateOutput, error) {
	defer heartbeat(ctx)()
	d, err := m.decide(ctx, chat.Step{Session: in.Session, Turn: in.Turn, N: in.Step})
	if err != nil {
		return GenerateOutput{}, failure(ctx, err)
	}
	return summarize(d), nil
}

func (m *Model) decide(ctx context.Context, step chat.Step) (chat.Decision, error) {
	_, stored, done, err := m.Steps.BeginStep(ctx, step)
	if err != nil || done {
		return stored, err
	}
	window, err := m.Steps.Window(ctx, step.Session)
	if err != nil {
		return chat.Decision{}, err
	}
	client, err := m.Models.For(ctx, step.Session)
	if err != nil {
		return chat.Decision{}, err
	}
	system, err := m.system(ctx, step)
	if err != nil {
		return chat.Decision{}, err
	}
	request := prompt.Request(system, window.Lines, m.Tools.Specs())
	stream := m.Open(step, int(activity.GetInfo(ctx).Attempt))
	answer, err := client.Generate(ctx, request, stream)
	stream.Close()
	if err == nil {
		err = usable(answer)
	}
	switch {
	case err == nil:
		return m.keep(ctx, step, m.commit(step, answer, client.Model(), request))
	case stopped(ctx):
		return m.keepPartial(ctx, step, stream, client.Model(), request)
	case ctx.Err() != nil:
		return chat.Decision{}, err
	}
	return m.failed(ctx, step, err)
}

func (m *Model) system(ctx context.Context, step chat.Step) (string, error) {
	if m.Prompts == nil {
		return BasePrompt{}.System(ctx, step)
	}
	return m.Prompts.System(ctx, step)
}

// keep commits what the model said, also when the activity ends at this moment: it was paid for.
func (m *Model) keep(ctx context.Context, step chat.Step, a chat.Answer) (chat.Decision, error) {
	ctx, cancel := settling(ctx)
	defer cancel()
	return m.Steps.CommitStep(ctx, step, a)
}

// usable refuses an answer with nothing in it.
func usable(a llm.Answer) error {
	if a.Text == "" && len(a.ToolCalls) == 0 && a.Finish != llm.FinishContentFilter {
		return fault.Errorf(fault.Unavailable, "empty answer")
	}
	return nil
}

func (m *Model) commit(step chat.Step, a llm.Answer, model string, r llm.Request) chat.Answer {
	out := chat.Answer{
		Text: clean(a.Text), Reasoning: clean(a.Reasoning), Opaque: a.Opaque, Finish: string(a.Finish),
		Model: model, Usage: a.Usage, Prompt: prompt.Static(r),
	}
	for n, c := range a.ToolCalls[:min(len(a.ToolCalls), maxCalls)] {
		name, arguments := m.Tools.Name(clean(c.Name)), clean(c.Arguments) // rules go by the tool's own name
		out.Calls = append(out.Calls, chat.ToolCall{
			ID: chat.NewCallID(step.Turn, step.N, n), ProviderID: clean(c.ID), Name: name, Arguments: arguments,
			Class: m.Tools.Class(name), Summary: m.Tools.Summary(name, arguments), State: chat.CallOpen,
			Rule: cmp.Or(m.Rules[name], chat.RuleAllow),
		})
	}
	if len(out.Calls) > 0 {
		out.Finish = string(llm.FinishToolCalls)
	} else if a.Finish == llm.FinishToolCalls {
		out.Finish = string(llm.FinishStop)
	}
	return out
}

// keepPartial commits what was written before a person stopped the turn.
func (m *Model) keepPartial(ctx context.Context, step chat.Step, stream Stream, model string, r llm.Request) (chat.Decision, error) {
	text, reasoning := stream.Written()
	if text == "" {
		return chat.Decision{Finish: chat.FinishStopped}, nil
	}
	return m.keep(ctx, step, chat.Answer{
		Text: clean(text), Reasoning: clean(reasoning), Finish: chat.FinishStopped, Model: model, Prompt: prompt.Static(r),
	})
}

// failed counts a failure of the provider and asks for another attempt, or ends the step with a sentence.
func (m *Model) failed(ctx context.Context, step chat.Step, cause error) (chat.Decision, error) {
	kind := fault.KindOf(cause)
	switch kind {
	case fault.RateLimited, fault.Unavailable:
		return m.again(ctx, step, kind, cause)
	case fault.TooLarge:
		return m.Steps.FailStep(ctx, step, kind, func(l phrase.Lang) string { return phrase.Say(l, phrase.ModelTooLong) })
	case fault.Internal:
		return chat.Decision{}, cause
	}
	return m.Steps.FailStep(ctx, step, kind, func(l phrase.Lang) string { return phrase.Say(l, phrase.ModelRefused, cause.Error()) })
}

func (m *Model) again(ctx context.Context, step chat.Step, kind fault.Kind, cause error) (chat.Decision, error) {
	reason := llm.Reason(cause)
	var delay time.Duration
	failures, err := m.Steps.CountFailure(ctx, step, func(failures int, lang phrase.Lang) (chat.Retry, bool) {
		delay = m.Retry.wait(failures, cause)
		return chat.Retry{
			Turn: step.Turn, Step: step.N, Attempt: failures + 1, Max: m.Retry.Attempts, DelayMS: delay.Milliseconds(), Reason: reason,
			Text: phrase.Say(lang, phrase.Retrying, reason, failures+1, m.Retry.Attempts),
		}, failures < m.Retry.Attempts
	})
	if err != nil {
		return chat.Decision{}, err
	}
	if failures >= m.Retry.Attempts {
		return m.Steps.FailStep(ctx, step, kind, func(l phrase.Lang) string { return phrase.Say(l, phrase.ModelFailed, failures, reason) })
	}
	return chat.Decision{}, fault.Limited(delay, "attempt %d of %d: %w", failures, m.Retry.Attempts, cause)
}

// wait returns the pause after the n-th failure: exponential with jitter, longer on 429 (spec/001 §7.1: plus
// 2^min(n,4) s), and never shorter than the provider asks.
func (r Retry) wait(n int, cause error) time.Duration {
	d := min(r.Delay<<min(n-1, 10), r.MaxDelay)
	d += time.Duration(rand.Int64N(int64(d)/4 + 1)) // jitter needs no secrecy
	if fault.Is(cause, fault.RateLimited) {
		d += time.Second << min(n, 4)
	}
	return max(d, fault.After(cause))
}

func summarize(d chat.Decision) GenerateOutput {
	out := GenerateOutput{Finish: d.Finish, Fault: d.Fault, Compress: d.Compress, Tokens: d.Usage.PromptTokens + d.Usage.CompletionTokens}
	for _, c := range d.Calls {
		out.Calls = append(out.Calls, CallOutput{Name: shorten(c.Name, 40), Class: c.Class, Summary: shorten(c.Summary, 60), Ask: c.Rule == chat.RuleAsk})
	}
	return out
}
