package turn

import (
	"sync"
	"time"
)

const (
	// quickAnswer is what an answer of a quick model takes at most, from the request to its last word.
	quickAnswer = 250 * time.Millisecond
	// quickAnswers is how many answers in a row have to be quick before their model counts as quick.
	quickAnswers = 10
	// maxSpeeds bounds the models that are remembered.
	maxSpeeds = 1000
)

// Speeds records which models usually answer quickly: small ones nearby do, most others take seconds. It is kept in the memory of a
// process. The zero value knows none; it may be used by several goroutines at once.
type Speeds struct {
	mu    sync.Mutex
	quick map[string]int // quick answers in a row, by the name of the model
}

// Note records how long a call of a model took. A failed one counts as slow.
func (s *Speeds) Note(model string, took time.Duration, failed bool) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case failed || took > quickAnswer:
		delete(s.quick, model)
	case s.quick == nil || len(s.quick) >= maxSpeeds:
		s.quick = map[string]int{model: 1}
	default:
		s.quick[model]++
	}
}

// Quick reports whether the model has answered quickly ten times in a row.
func (s *Speeds) Quick(model string) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.quick[model] >= quickAnswers
}
