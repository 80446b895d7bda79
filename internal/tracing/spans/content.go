package spans

import (
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// message is a message in the form of the conventions.
type message struct {
	Role   string `json:"role"`
	Parts  []part `json:"parts"`
	Finish string `json:"finish_reason,omitempty"`
}

type part struct {
	Type    string `json:"type"`
	ID      string `json:"id,omitempty"`
	Content string `json:"content,omitempty"`
	Result  string `json:"response,omitempty"`
}

func messagesOf(role string, texts []Text) (out []message) {
	for _, t := range texts {
		out = append(out, message{Role: role, Parts: []part{{Type: "text", Content: t.Content}}})
	}
	return out
}

// answer returns the answer of a model, or nil if it has no text.
func answer(text, finish string) []message {
	if text == "" {
		return nil
	}
	return []message{{Role: "assistant", Parts: []part{{Type: "text", Content: text}}, Finish: finish}}
}

// inputOf returns the messages that are new in the request of a step: those of people since the step before, and the results of its calls. The
// rest of the request is in the spans before.
func (b *builder) inputOf(step Step) (out []message) {
	var since time.Time
	for _, s := range b.Steps {
		if s.N == step.N-1 {
			since = s.Started
		}
	}
	for _, c := range b.Calls {
		if c.Step == step.N-1 {
			out = append(out, message{Role: "tool", Parts: []part{{Type: "tool_call_response", ID: string(c.ID), Result: c.Result}}})
		}
	}
	for _, t := range b.Input {
		first := since.IsZero() && t.At.Before(step.Started.Add(time.Nanosecond))
		if first || !since.IsZero() && t.At.After(since) && !t.At.After(step.Started) {
			out = append(out, messagesOf("user", []Text{t})...)
		}
	}
	return out
}

// content adds what went in and came out.
func (b *builder) content(s *tracepb.Span, input, output []message) {
	a := (*Attributes)(&s.Attributes)
	for _, side := range []struct {
		messages        []message
		attribute, name string
	}{{input, "gen_ai.input.messages", "input"}, {output, "gen_ai.output.messages", "output"}} {
		if len(side.messages) == 0 {
			continue
		}
		text := encode(b.masked(side.messages))
		a.Text(side.attribute, text)
		if b.Langfuse {
			a.Text("langfuse.observation."+side.name, text)
		}
	}
}

// masked returns messages with masked and bounded texts. All texts together have about MaxText bytes at most.
func (b *builder) masked(in []message) []message {
	out := make([]message, 0, len(in))
	left := MaxText
	for _, m := range in {
		parts := make([]part, len(m.Parts))
		for i, p := range m.Parts {
			p.Content, p.Result = within(b.text(p.Content), &left), within(b.text(p.Result), &left)
			parts[i] = p
		}
		m.Parts = parts
		out = append(out, m)
	}
	return out
}

// text masks and bounds a text.
func (b *builder) text(text string) string {
	if b.Mask != nil {
		text = b.Mask(text)
	}
	return Cut(text)
}

// within bounds a text to what is left.
func within(text string, left *int) string {
	text = cut(text, max(*left, 0))
	*left -= len(text)
	return text
}
