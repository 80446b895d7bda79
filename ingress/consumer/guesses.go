package consumer

import (
	"sync"
	"time"

	"xbot/internal/fault"
)

const (
	// freeGuesses is how many wrong keys may come from one address before each waits.
	freeGuesses = 20
	// guessPause is how long an address gains another one.
	guessPause = 3 * time.Second
	// knownKeys and guessers bound the memory of keys that were good, and of addresses that sent wrong ones.
	knownKeys, guessers = 10_000, 10_000
)

// guesses slow down whoever sends wrong keys. A key that was good in this process is never slowed, whoever else sends wrong ones from its
// address. The zero value is ready.
type guesses struct {
	mu    sync.Mutex
	known map[string]struct{} // hashes of keys that were good
	wrong map[string]guesser  // by address
	time  clock               // nil: that of the machine
}

// clock tells the time.
type clock interface{ Now() time.Time }

// guesser is an address with the wrong keys that count now.
type guesser struct {
	n    float64
	last time.Time
}

func (g *guesses) now() time.Time {
	if g.time != nil {
		return g.time.Now()
	}
	return time.Now()
}

// may is RateLimited where an address has sent too many wrong keys to try another one that is not known.
func (g *guesses) may(from string, hash []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.known[string(hash)]; known {
		return nil
	}
	n := g.left(from)
	if n <= freeGuesses-1 {
		return nil
	}
	wait := time.Duration((n - freeGuesses + 1) * float64(guessPause))
	return fault.Limited(wait, "too many wrong keys came from this address; try again when as many seconds have passed as Retry-After says")
}

// left is how many wrong keys of an address count now.
func (g *guesses) left(from string) float64 {
	who := g.wrong[from]
	return max(0, who.n-g.now().Sub(who.last).Seconds()/guessPause.Seconds())
}

// count notes a wrong key. One that was good is not good any more.
func (g *guesses) count(from string, hash []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.known, string(hash))
	if g.wrong == nil || len(g.wrong) >= guessers {
		g.wrong = map[string]guesser{from: g.wrong[from]} // of so many nobody is slowed for long
	}
	g.wrong[from] = guesser{n: g.left(from) + 1, last: g.now()}
}

// good notes a key that was good.
func (g *guesses) good(hash []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known == nil || len(g.known) >= knownKeys {
		g.known = map[string]struct{}{}
	}
	g.known[string(hash)] = struct{}{}
}
