package auth

import (
	"context"
	"sync"
	"time"

	"golang.org/x/crypto/bcrypt"

	"xbot/internal/fault"
)

const (
	// freeAttempts is how many passwords in a row may be tried at once.
	freeAttempts = 5
	// attemptPause is the wait after each of the next ones.
	attemptPause = 15 * time.Second
	// limiterGuessers bounds the memory of those who tried.
	limiterGuessers = 10_000
)

// guesser is the source of passwords for a name: a browser that has signed in under the name before, else an address. Wrong
// passwords of one source do not count for another.
type guesser struct {
	from lane
	name string
}

// limiter slows down the guessing of passwords. Each process has its own: bcrypt bounds the rate that several replicas
// permit together.
type limiter struct {
	mu   sync.Mutex
	seen map[guesser]attempts
}

type attempts struct {
	n    int
	last time.Time
}

// begin counts an attempt before its password is checked, so that parallel guesses gain nothing. The error has the time that
// the attempt has to wait; then it was not counted.
func (l *limiter) begin(who guesser) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.seen[who]
	if wait := time.Until(a.last.Add(attemptPause)); a.n >= freeAttempts && wait > 0 {
		return fault.Limited(wait, "too many attempts for this name; wait %d seconds", int(wait.Seconds())+1)
	}
	if l.seen == nil {
		l.seen = map[guesser]attempts{}
	}
	if len(l.seen) > limiterGuessers {
		l.forget()
	}
	l.seen[who] = attempts{n: a.n + 1, last: time.Now()}
	return nil
}

// forget drops the sources that have nothing to wait for; if these are too few, all sources.
func (l *limiter) forget() {
	for who, a := range l.seen {
		if time.Since(a.last) > attemptPause {
			delete(l.seen, who)
		}
	}
	if len(l.seen) > limiterGuessers {
		clear(l.seen)
	}
}

func (l *limiter) succeeded(who guesser) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.seen, who)
}

// matches reports whether a password is the one of a hash.
func matches(ctx context.Context, from lane, hash, password string) (yes bool, err error) {
	err = hashing.hashed(ctx, from, func() error {
		yes = bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) == nil
		return nil
	})
	return yes, err
}
