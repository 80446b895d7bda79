package turn

import (
	"context"
	"slices"
	"strings"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/llm/textcall"
)

// Reminders after an answer that cannot be used.
const (
	sayBroken  = "<system-reminder>Your last answer held a tool call written as text that could not be read, or that named no tool of this conversation. Call tools with the tool call interface only, or answer in words.</system-reminder>"
	sayNothing = "<system-reminder>Your last answer held neither text nor a tool call that could be read. Answer the user, or call a tool with valid JSON arguments.</system-reminder>"
)

// call asks the model. If its answer cannot be used and a reminder can say why, call asks once more with that reminder: the same request would get the
// same answer.
func (m *Model) call(ctx context.Context, a *attempt, client llm.Client, sink llm.Sink) (llm.Answer, error) {
	answer, err := m.fitting(ctx, a, client, sink)
	if err != nil {
		return answer, err
	}
	answer, wrong := a.read(answer)
	if wrong == "" || a.exceeded(answer) {
		return answer, nil
	}
	settling, cancel := activities.Settling(ctx)
	defer cancel()
	if err := m.Usage.BookUsage(settling, a.step.Session, a.model, 1, answer.Usage); err != nil {
		return answer, err
	}
	a.Remind(wrong)
	second, err := client.Generate(ctx, a.Request, sink)
	if err != nil {
		return second, err
	}
	second, _ = a.read(second)
	return second, nil
}

// fitting asks the model. If its provider refuses the request as too long and there is nothing to compress, fitting masks results of the running turn and
// sends the shorter request. It never sends a refused request again.
func (m *Model) fitting(ctx context.Context, a *attempt, client llm.Client, sink llm.Sink) (llm.Answer, error) {
	for n := 0; ; n++ {
		if n > maxCompressions || a.Refused {
			if a.compressed > 0 {
				a.compressed = maxCompressions // the compression changed nothing, and another one would not
			}
			return llm.Answer{}, fault.Errorf(fault.TooLarge, "the model has refused this request as too long")
		}
		answer, err := m.offering(ctx, a, client, sink)
		if !fault.Is(err, fault.TooLarge) {
			return answer, err
		}
		most, again := m.Context.Refused(ctx, a.step, a.model, a.Assembled, err)
		if again != nil {
			return answer, again
		}
		before := a.Sent.ControlUpto
		if again := m.assemble(ctx, a, client, a.Request.System, most); again != nil {
			return answer, again
		}
		if a.Compress != "" || a.Sent.ControlUpto == before { // nothing was masked
			return answer, err
		}
	}
}

// read finds tool calls that were written as text. It returns the answer with them, and a reminder of what is wrong with it; empty: nothing is.
func (a *attempt) read(answer llm.Answer) (llm.Answer, string) {
	if len(answer.ToolCalls) > 0 || answer.Finish == llm.FinishContentFilter || answer.Finish == llm.FinishLength && isEmpty(answer) {
		return answer, ""
	}
	if answer.Finish == llm.FinishMalformed && !isEmpty(answer) {
		return answer, sayBroken
	}
	if isEmpty(answer) {
		if strings.TrimSpace(answer.Reasoning) != "" || strings.Contains(strings.ToLower(string(answer.Finish)), "malformed") {
			return answer, sayNothing
		}
		return answer, ""
	}
	if len(a.Request.Tools) == 0 {
		return answer, ""
	}
	found := textcall.Read(answer.Text, func(name string) bool {
		return slices.ContainsFunc(a.Request.Tools, func(t llm.Tool) bool { return t.Name == name })
	})
	switch {
	case found.Broken:
		return answer, sayBroken
	case len(found.Calls) > 0:
		answer.Text, answer.ToolCalls, answer.Opaque = found.Text, found.Calls, nil
	}
	return answer, ""
}

// isEmpty reports whether an answer has neither text nor tool calls.
func isEmpty(a llm.Answer) bool { return strings.TrimSpace(a.Text) == "" && len(a.ToolCalls) == 0 }

// usable returns llm.ErrEmpty for an empty answer. After results of tools an empty answer is the end of the turn and no error.
func (a *attempt) usable(answer llm.Answer) error {
	if isEmpty(answer) && answer.Finish != llm.FinishContentFilter && answer.Finish != llm.FinishLength && !a.followsTools() {
		return llm.ErrEmpty
	}
	return nil
}

// followsTools reports whether the request ends with what tools returned.
func (a *attempt) followsTools() bool {
	for _, m := range slices.Backward(a.Request.Messages) {
		if !m.Volatile {
			return m.Role == "tool"
		}
	}
	return false
}

// silent reports whether a model has ended the turn without a text after the results of its tools.
func (a *attempt) silent(answer llm.Answer) bool {
	return isEmpty(answer) && a.followsTools() && answer.Finish != llm.FinishContentFilter && answer.Finish != llm.FinishLength
}

// endSilent ends a step whose model adds no text to the results of its tools. It writes a notice, since the user may get no other message.
func (m *Model) endSilent(ctx context.Context, a *attempt, answer llm.Answer) (chat.Decision, error) {
	settling, cancel := activities.Settling(ctx)
	defer cancel()
	if err := m.Usage.BookUsage(settling, a.step.Session, a.model, 1, answer.Usage); err != nil {
		return chat.Decision{}, err
	}
	return m.Turns.EndStep(settling, a.step, string(llm.FinishStop), func(l i18n.Lang) string { return i18n.Say(l, i18n.ModelSilent) })
}
