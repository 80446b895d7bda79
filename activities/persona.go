package activities

import (
	"context"
	"strings"

	"xbot/internal/agentprofile"
	"xbot/internal/chat"
	"xbot/internal/soul"
	"xbot/internal/tool"
)

// Personas knows who answers in a session.
type Personas interface {
	Of(ctx context.Context, key chat.SessionKey) (agentprofile.Persona, error)
}

// personaOf returns who answers in a session; nobody in particular where nobody knows.
func personaOf(ctx context.Context, who Personas, key chat.SessionKey) (agentprofile.Persona, error) {
	if who == nil {
		return agentprofile.Persona{Deliver: true}, nil
	}
	return who.Of(ctx, key)
}

// allowed is the tools that an agent may use. The others are to the model as if there were none of their names.
type allowed struct {
	Catalog
	who agentprofile.Persona
}

// Specs returns what the model can call.
func (a allowed) Specs() []tool.Spec {
	all := a.Catalog.Specs()
	specs := make([]tool.Spec, 0, len(all))
	for _, s := range all {
		if a.who.Has(s.Name) {
			specs = append(specs, s)
		}
	}
	return specs
}

// Class returns that of a tool; a name that is not allowed has the class of names that no tool has.
func (a allowed) Class(name string) chat.ToolClass {
	if !a.who.Has(name) {
		return chat.ClassRead
	}
	return a.Catalog.Class(name)
}

// Questions returns what a call asks a person; a tool that is not allowed asks nobody.
func (a allowed) Questions(name, arguments string) []chat.Inquiry {
	if !a.who.Has(name) {
		return nil
	}
	return a.Catalog.Questions(name, arguments)
}

// unknown is the result of a call of a tool that the agent does not have.
func unknown(name string) chat.ToolResult {
	return tool.Fail("there is no tool named %q in this session", tool.Cut(name, 60))
}

// shownStream is the stream of an answer as people may see it. What was written is kept whole.
type shownStream struct {
	Stream
	filter *soul.Filter
	whole  strings.Builder
}

func showing(s Stream, c soul.Contract) *shownStream {
	return &shownStream{Stream: s, filter: c.Filter()}
}

// Text adds a piece of the answer.
func (s *shownStream) Text(piece string) {
	s.whole.WriteString(piece)
	if shown := s.filter.Write(piece); shown != "" {
		s.Stream.Text(shown)
	}
}

// Written returns all text and reasoning so far, as the model wrote it.
func (s *shownStream) Written() (text, reasoning string) {
	_, reasoning = s.Stream.Written()
	return s.whole.String(), reasoning
}

// asShown notes what people see of an answer. Silence is a whole answer: before its calls a model says nothing instead.
func asShown(answer chat.Answer, c soul.Contract) chat.Answer {
	text, silent := c.Show(answer.Text)
	if text != answer.Text {
		answer.Shown = &text
	}
	answer.Silent = silent && len(answer.Calls) == 0
	return answer
}
