package turn

import (
	"context"
	"slices"
	"strings"

	"xbot/activities"
	"xbot/activities/hooks"
	"xbot/internal/chat"
	"xbot/internal/llm"
	"xbot/internal/tool"
	"xbot/internal/turn/permission"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/tokens"
)

// keep commits the answer of the model, also when the activity ends at this moment: it was paid for.
func (m *Model) keep(ctx context.Context, a *attempt, answer chat.Answer) (chat.Decision, error) {
	ctx, cancel := activities.Settling(ctx)
	defer cancel()
	answer.Model, answer.Prompt, answer.Sent, answer.Call = a.model, prompt.Static(a.Request), a.Sent, a.record()
	answer = asShown(answer, a.who.Contract)
	d, err := m.Turns.CommitStep(ctx, a.step, answer)
	if err == nil {
		_ = m.Context.Learn(ctx, a.model, a.Assembled, answer.Usage.PromptTokens) // an estimate that stays as it was harms nothing
	}
	return d, err
}

// commit stores an answer of the model as a step. An answer cut off by the window counts as cut off by its limit.
func (m *Model) commit(ctx context.Context, at *attempt, a llm.Answer) (chat.Answer, error) {
	switch a.Finish {
	case llm.FinishWindow:
		a.Finish = llm.FinishLength
	case llm.FinishMalformed:
		a.Finish = llm.FinishStop
	}
	a.ToolCalls = uncut(a)
	step, tools := at.step, at.tools
	out := chat.Answer{Text: activities.Clean(a.Text), Reasoning: activities.Clean(a.Reasoning), Opaque: a.Opaque, Finish: string(a.Finish), Usage: a.Usage}
	var authorizer permission.Authorizer
	if len(a.ToolCalls) > 0 {
		// As keep does: the answer was paid for, also when the activity ends at this moment.
		settling, cancel := activities.Settling(ctx)
		defer cancel()
		ctx = settling
		var err error
		if authorizer, err = m.Authorizers.Of(ctx, step.Session, tools); err != nil {
			return out, err
		}
	}
	for _, c := range a.ToolCalls[:min(len(a.ToolCalls), maxCalls)] {
		if at.client.drops(out.Calls, c) {
			continue
		}
		if call, is := at.client.call(chat.NewCallID(step.Turn, step.N, len(out.Calls)), c); is {
			out.Calls = append(out.Calls, call)
			continue
		}
		name, arguments := tools.Name(activities.Clean(c.Name)), activities.Clean(c.Arguments) // rules go by the tool's own name
		decision := authorizer.Call(name, arguments)
		var spec tool.Spec
		if t, ok := tools.Get(name); ok {
			spec = t.Spec()
		}
		if err := m.Authorizers.Pin(ctx, step.Session, decision, spec); err != nil {
			return out, err
		}
		plan, _ := tools.Plan(name, arguments) // Run reports invalid arguments to the model
		out.Calls = append(out.Calls, hooks.MarkCall(at.hooks, chat.ToolCall{
			ID: chat.NewCallID(step.Turn, step.N, len(out.Calls)), ProviderID: activities.Clean(c.ID), Name: name, Arguments: arguments,
			Class: tools.Class(name), Summary: tools.Summary(name, arguments), State: chat.CallOpen,
			Rule: decision.Rule, Ruling: decision.Ruling(), Asks: chat.Asks{Questions: besides(decision.Rule, name, tools.Questions(ctx, step.Session, name, arguments)), Plan: plan},
		}.Ruled(), spec.Names()))
	}
	if len(out.Calls) > 0 {
		out.Finish = string(llm.FinishToolCalls)
	} else if a.Finish == llm.FinishToolCalls {
		out.Finish = string(llm.FinishStop)
	}
	return out, nil
}

// cutArguments are the arguments of a call that the limit of the answer cut off before the first of them. The tool refuses them; it would carry
// out an empty object (https://github.com/vllm-project/vllm/pull/46303).
const cutArguments = "(cut off by the limit of the answer)"

// uncut returns the calls of an answer. The arguments of one that was cut off before them say so.
func uncut(a llm.Answer) []llm.ToolCall {
	last := len(a.ToolCalls) - 1
	if a.Finish != llm.FinishLength || last < 0 || strings.Trim(a.ToolCalls[last].Arguments, "{} \t\r\n") != "" {
		return a.ToolCalls
	}
	calls := slices.Clone(a.ToolCalls)
	calls[last].Arguments = cutArguments
	return calls
}

// askAccount is the tool that does nothing but ask for an account.
const askAccount = "oauth_authorize"

// besides returns the questions of a call under its rule. If a user has to permit the call, connecting an account is not asked with it: the account
// answers every call that waits for it, and would permit this one unseen. The tool then reports the missing account.
func besides(rule chat.Rule, name string, questions []chat.Inquiry) []chat.Inquiry {
	if rule == chat.RuleAsk && name != askAccount {
		return slices.DeleteFunc(questions, func(q chat.Inquiry) bool { return q.Connect != nil })
	}
	return questions
}

// keepPartial commits the text written before a user stopped the turn. The provider charges for it and gave no count: the expected amount is booked,
// so that stopping answers does not evade a budget.
func (m *Model) keepPartial(ctx context.Context, a *attempt, stream Stream) (chat.Decision, error) {
	text, reasoning := stream.Written()
	if a.coding == nil {
		settling, cancel := activities.Settling(ctx)
		defer cancel()
		calls := 1
		if text != "" {
			calls = 0 // it is counted with what is kept
		}
		expected := chat.Usage{PromptTokens: a.Sent.Tokens, CompletionTokens: tokens.Count(text) + tokens.Count(reasoning)}
		if err := m.Usage.BookUsage(settling, a.step.Session, a.model, calls, expected); err != nil {
			return chat.Decision{}, err
		}
	}
	if text == "" {
		return chat.Decision{Finish: chat.FinishStopped}, nil
	}
	return m.keep(ctx, a, chat.Answer{Text: activities.Clean(text), Reasoning: activities.Clean(reasoning), Finish: chat.FinishStopped})
}
