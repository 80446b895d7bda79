package consumer

import (
	"context"
	"sync"
	"time"

	"xbot/internal/fault"
)

const (
	// freeGuesses is how many wrong keys of one address are refused as wrong before each is refused with a wait.
	freeGuesses = 20
	// guessPause is how long an address gains another one.
	guessPause = 3 * time.Second
	// knownKeys and guessers bound the memory of keys that were good, and of addresses that sent wrong ones.
	knownKeys, guessers = 10_000, 10_000
	// lookupsAtOnce and lookupsWaiting are how many keys of one address that are not known are looked up at once, and wait or are looked up.
	lookupsAtOnce, lookupsWaiting = 2, 500
)

// guesses slows down clients that send wrong keys. A good key is never refused, even if others send wrong ones from its address: it is looked
// up first. Only a few unknown keys of one address are looked up at once, and the others wait, so that a flood of wrong ones does not reach the
// database. The zero value is ready.
type guesses struct {
	mu    sync.Mutex
	known map[string]struct{} // hashes of keys that were good in this process
	wrong map[string]guesser  // by address
	busy  map[string]*lookups // by address
	time  clock               // nil: that of the machine
}

// lookups are the keys of an address that are being looked up.
type lookups struct {
	places chan struct{}
	n      int // that have a place or wait for one
}

// clock returns the current time.
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

// isKnown reports whether a key was good in this process.
func (g *guesses) isKnown(hash []byte) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, known := g.known[string(hash)]
	return known
}

// enter waits until an unknown key of an address may be looked up; the caller calls leave afterwards. It returns RateLimited if too many wait already.
func (g *guesses) enter(ctx context.Context, from string) error {
	l, err := g.join(from)
	if err != nil {
		return err
	}
	select {
	case l.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		g.part(from)
		return errBusy // its client is gone
	}
}

var errBusy = fault.Limited(time.Second, "too many keys came from this address at once; try again in a moment")

func (g *guesses) join(from string) (*lookups, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.busy[from]
	if l == nil {
		l = &lookups{places: make(chan struct{}, lookupsAtOnce)}
		if g.busy == nil {
			g.busy = map[string]*lookups{}
		}
		g.busy[from] = l
	}
	if l.n >= lookupsWaiting {
		return nil, errBusy
	}
	l.n++
	return l, nil
}

func (g *guesses) leave(from string) {
	g.mu.Lock()
	l := g.busy[from]
	g.mu.Unlock()
	<-l.places
	g.part(from)
}

func (g *guesses) part(from string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l := g.busy[from]; l.n > 1 {
		l.n--
		return
	}
	delete(g.busy, from)
}

// miss notes a wrong key of an address, and returns its error: RateLimited where too many came. A client that knew a key may learn that it
// is not good any more.
func (g *guesses) miss(from string, hash []byte) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, known := g.known[string(hash)]
	n := g.left(from)
	if n > freeGuesses-1 && !known {
		wait := time.Duration((n - freeGuesses + 1) * float64(guessPause))
		return fault.Limited(wait, "too many wrong keys came from this address; try again when as many seconds have passed as Retry-After says")
	}
	g.count(from, hash)
	return errWrongKey
}

// left returns how many wrong keys of an address count now.
func (g *guesses) left(from string) float64 {
	who := g.wrong[from]
	return max(0, who.n-g.now().Sub(who.last).Seconds()/guessPause.Seconds())
}

// count counts a wrong key. One that was good is not good any more.
func (g *guesses) count(from string, hash []byte) {
	delete(g.known, string(hash))
	if g.wrong == nil || len(g.wrong) >= guessers {
		g.wrong = map[string]guesser{from: g.wrong[from]} // with so many addresses none is slowed for long
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
