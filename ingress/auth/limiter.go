package auth

import (
	"sync"
	"time"
)

const (
	// freeAttempts is how many wrong passwords in a row cost nothing.
	freeAttempts = 5
	// attemptPause is the wait after the next ones.
	attemptPause = 15 * time.Second
	// limiterNames bounds the memory of names that somebody tried.
	limiterNames = 10_000
)

// limiter slows down the guessing of passwords. It is per process: bcrypt bounds what replicas add.
type limiter struct {
	mu    sync.Mutex
	names map[string]attempts
}

type attempts struct {
	n    int
	last time.Time
}

// next returns how long the next attempt has to wait.
func (l *limiter) next(name string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.names[name]
	if a.n < freeAttempts {
		return 0
	}
	return max(0, time.Until(a.last.Add(attemptPause)))
}

func (l *limiter) failed(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.names == nil || len(l.names) > limiterNames {
		l.names = map[string]attempts{}
	}
	l.names[name] = attempts{n: l.names[name].n + 1, last: time.Now()}
}

func (l *limiter) succeeded(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.names, name)
}
