package openai

import (
	"strings"

	"xbot/internal/llm"
)

// arguments are those of a call while they grow, with how much of them was passed on.
type arguments struct {
	written strings.Builder
	passed  int
	differs bool // from what was passed on
}

// add adds a piece.
func (a *arguments) add(piece string) { a.written.WriteString(piece) }

// String returns all of them.
func (a *arguments) String() string { return a.written.String() }

// pass passes on what is new.
func (a *arguments) pass(to llm.Sink, call int) {
	if a.differs || a.passed == a.written.Len() {
		return
	}
	piece := a.String()[a.passed:]
	a.passed = a.written.Len()
	to.Arguments(call, piece)
}

// settle takes all of them. Where they do not begin with what was passed on, no more is: the answer brings them.
func (a *arguments) settle(whole string) {
	if !a.differs {
		a.differs = !strings.HasPrefix(whole, a.String()[:a.passed])
	}
	a.written.Reset()
	a.add(whole)
}
