package wire

import (
	"sync/atomic"

	"xbot/internal/llm"
)

// Lessons remembers what a provider has turned out to accept, as a value D that defines how requests are put. It is safe
// for concurrent use.
type Lessons[D any] struct {
	known atomic.Pointer[D]
}

// NewLessons starts with a guess.
func NewLessons[D any](guess D) *Lessons[D] {
	l := &Lessons[D]{}
	l.known.Store(&guess)
	return l
}

// Apply makes an attempt with what is known. When the provider refuses it and learn finds a way of putting it that
// avoids the complaint, that is remembered and the request is sent again at once. A refused request had no effect, so
// this is no retry. learn must come to an end: every lesson it gives must be one that the attempt had not applied.
func (l *Lessons[D]) Apply(attempt func(D) (llm.Answer, error), learn func(D, *Refusal) (D, bool)) (llm.Answer, error) {
	for {
		applied := *l.known.Load()
		answer, err := attempt(applied)
		refusal := RefusalOf(err)
		if refusal == nil || answer.Text != "" || answer.Reasoning != "" {
			return answer, err // what was streamed already must not be streamed again
		}
		lesson, ok := learn(applied, refusal)
		if !ok {
			return answer, err
		}
		l.known.Store(&lesson)
	}
}
