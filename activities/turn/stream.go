package turn

import (
	"context"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/user/persona"
)

// unknown returns the result of a call of a tool that the agent does not have.
func unknown(name string) chat.ToolResult {
	return tool.Fail("there is no tool named %q in this session", tool.Cut(name, 60))
}

// shownStream is the stream of an answer as users may see it. What was written is kept whole.
type shownStream struct {
	Stream
	filter *persona.Filter
	whole  strings.Builder
	calls  shownCalls
	first  time.Time // when the first piece came; zero: none did
}

// note records the time of the first piece.
func (s *shownStream) note() {
	if s.first.IsZero() {
		s.first = time.Now()
	}
}

// Reasoning adds a piece of the reasoning.
func (s *shownStream) Reasoning(piece string) {
	s.note()
	s.Stream.Reasoning(piece)
}

// shownStream opens where users see an attempt.
func (m *Model) shownStream(ctx context.Context, a *attempt) *shownStream {
	s := m.Streams.OpenStream(a.step, a.n)
	return &shownStream{Stream: s, filter: a.who.Contract.Filter(), calls: shownCalls{
		to: s, tools: a.tools, hooks: hookedTools{ctx: ctx, files: m.Hooks, of: a.step.Session}, shown: map[int]*characters{},
	}}
}

// Text adds a piece of the answer.
func (s *shownStream) Text(piece string) {
	s.note()
	s.whole.WriteString(piece)
	if shown := s.filter.Write(piece); shown != "" {
		s.Stream.Text(shown)
	}
}

// ToolCall shows that a call is being written.
func (s *shownStream) ToolCall(call int, name string) {
	s.note()
	s.calls.begin(call, name)
}

// Arguments adds a piece of the arguments of a call.
func (s *shownStream) Arguments(call int, piece string) { s.calls.grow(call, piece) }

// Written returns all text and reasoning so far, as the model wrote it.
func (s *shownStream) Written() (text, reasoning string) {
	_, reasoning = s.Stream.Written()
	return s.whole.String(), reasoning
}

// asShown returns an answer as users see it. Silence is a whole answer: before its calls a model writes nothing instead.
func asShown(answer chat.Answer, c persona.Contract) chat.Answer {
	text, silent := c.Show(answer.Text)
	if text != answer.Text {
		answer.Shown = &text
	}
	answer.Silent = silent && len(answer.Calls) == 0
	return answer
}
