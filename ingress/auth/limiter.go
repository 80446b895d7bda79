package auth

import (
	"context"
	"runtime"
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
	// limiterNames bounds the memory of names that somebody tried.
	limiterNames = 10_000
	// hashWait is how long a password waits for a free processor.
	hashWait = 10 * time.Second
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

// begin counts an attempt before its password is looked at, so that guessing at once gains nothing. The error says how
// long the attempt has to wait; then it was not counted.
func (l *limiter) begin(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.names[name]
	if wait := time.Until(a.last.Add(attemptPause)); a.n >= freeAttempts && wait > 0 {
		return fault.Limited(wait, "too many attempts for this name; wait %d seconds", int(wait.Seconds())+1)
	}
	if l.names == nil || len(l.names) > limiterNames {
		l.names = map[string]attempts{}
	}
	l.names[name] = attempts{n: a.n + 1, last: time.Now()}
	return nil
}

func (l *limiter) succeeded(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.names, name)
}

// hashing has room for the passwords that are hashed at once: half of the processors, so that no number of people who
// sign in keeps the others waiting.
var hashing = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))

// hashed runs fn, which hashes a password, when there is room.
func hashed(ctx context.Context, fn func() error) error {
	timer := time.NewTimer(hashWait)
	defer timer.Stop()
	select {
	case hashing <- struct{}{}:
		defer func() { <-hashing }()
		return fn()
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return fault.Limited(hashWait, "too many people sign in at once; try again in a moment")
	}
}

// matches reports whether a password is the one of a hash.
func matches(ctx context.Context, hash, password string) (yes bool, err error) {
	err = hashed(ctx, func() error {
		yes = bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) == nil
		return nil
	})
	return yes, err
}
