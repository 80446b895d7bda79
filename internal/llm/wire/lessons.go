package wire

import (
	"sync"

	"xbot/internal/llm"
)

// Lessons remembers what a provider has turned out to accept, as a value D that says how requests are put. It is safe
// for concurrent use.
type Lessons[D any] struct {
	mu    sync.Mutex
	known D
}

// NewLessons starts with a guess.
func NewLessons[D any](guess D) *Lessons[D] { return &Lessons[D]{known: guess} }

// Apply makes an attempt with what is known. When the provider refuses it and learn finds a way of putting it that
// avoids the complaint, that is remembered and the request is sent again at once. A refused request had no effect, so
// this is no retry. learn must come to an end: every lesson it gives must be one that the attempt had not applied.
func (l *Lessons[D]) Apply(attempt func(D) (llm.Answer, error), learn func(D, *Refusal) (D, bool)) (llm.Answer, error) {
	for {
		applied := l.get()
		answer, err := attempt(applied)
		refusal := RefusalOf(err)
		if refusal == nil || answer.Text != "" || answer.Reasoning != "" {
			return answer, err // what was streamed already must not be streamed again
		}
		lesson, ok := learn(applied, refusal)
		if !ok {
			return answer, err
		}
		l.set(lesson)
	}
}

func (l *Lessons[D]) get() D {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known
}

func (l *Lessons[D]) set(d D) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = d
}
