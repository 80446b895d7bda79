package openai

import (
	"encoding/json"
	"strings"

	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

// arguments are the arguments of a call while they grow, with how much of them was passed on.
type arguments struct {
	written strings.Builder
	seam    wire.Seam
	passed  int
	restart int  // where they may have begun once more, from their beginning
	differs bool // from what was passed on
}

// add adds a piece.
func (a *arguments) add(piece string) {
	if before := a.String(); strings.HasPrefix(before, "{") && len(piece) > len(before) && strings.HasPrefix(piece, before) {
		a.restart = len(before)
	}
	a.written.WriteString(a.seam.Join(piece))
}

// String returns all of them.
func (a *arguments) String() string { return a.written.String() }

// pass passes on the new part.
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
	a.seam, a.restart = wire.Seam{}, 0
	a.add(whole)
}

// end ends them: they become the object that the model meant.
func (a *arguments) end() {
	a.written.WriteString(a.seam.Rest())
	all := a.String()
	meant := wire.Arguments(all)
	if meant == all && a.restart > 0 && !json.Valid([]byte(all)) && json.Valid([]byte(all[a.restart:])) {
		meant = all[a.restart:] // the beginning, and then all (vllm-project/vllm#51697)
	}
	if meant != all {
		a.settle(meant)
	}
}
