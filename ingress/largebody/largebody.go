// Package largebody bounds how many large requests are read at the same time: the content of each is copied in memory a few times. It
// bounds those of one caller as well, so that a slow sender keeps no others waiting.
package largebody

import (
	"context"
	"net/http"
	"sync"
	"time"

	"xbot/internal/fault"
)

const (
	// From is from which size on a request counts as large, in bytes.
	From = 1 << 20
	// ofAll and ofOne are how many large requests are read at once, of all callers and of one.
	ofAll, ofOne = 8, 2
	// wait is how long a request waits for its place.
	wait = 20 * time.Second
	// pause is when one that was refused may come again.
	pause = 10 * time.Second
)

// Places has a place for each large request that is read. Make it with New.
type Places struct {
	all  chan struct{}
	wait time.Duration

	mu  sync.Mutex
	one map[string]*caller
}

// caller has the places of one caller, as long as one is taken or waited for.
type caller struct {
	places chan struct{}
	n      int // requests that have one or wait for it
}

// New returns places that are all free.
func New() *Places {
	return &Places{all: make(chan struct{}, ofAll), wait: wait, one: map[string]*caller{}}
}

// Place is one that a request has taken. Nil is the place of a request that needs none.
type Place struct {
	leave sync.Once
	of    *Places
	who   string
}

// Enter takes a place for a request of a caller, unless it is small. It returns RateLimited if none became free in time.
func (p *Places) Enter(r *http.Request, who string) (*Place, error) {
	if r.ContentLength >= 0 && r.ContentLength <= From {
		return nil, nil //nolint:nilnil // a small request needs no place, and nil is that
	}
	ctx, cancel := context.WithTimeout(r.Context(), p.wait)
	defer cancel()
	own := p.join(who)
	select {
	case own.places <- struct{}{}:
	case <-ctx.Done():
		p.part(who)
		return nil, fault.Limited(pause, "%d large requests of yours are being read, and no more may be at once; send this one when one of them has arrived", ofOne)
	}
	select {
	case p.all <- struct{}{}:
	case <-ctx.Done():
		<-own.places
		p.part(who)
		return nil, fault.Limited(pause, "the server reads as many large requests as it can; send this one again in a moment")
	}
	return &Place{of: p, who: who}, nil
}

func (p *Places) join(who string) *caller {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.one[who]
	if own == nil {
		own = &caller{places: make(chan struct{}, ofOne)}
		p.one[who] = own
	}
	own.n++
	return own
}

func (p *Places) part(who string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own := p.one[who]; own.n > 1 {
		own.n--
		return
	}
	delete(p.one, who)
}

// Leave gives the place back, once.
func (p *Place) Leave() {
	if p == nil {
		return
	}
	p.leave.Do(func() {
		<-p.of.all
		p.of.mu.Lock()
		own := p.of.one[p.who]
		p.of.mu.Unlock()
		<-own.places
		p.of.part(p.who)
	})
}

type contextKey struct{}

// With returns a request that knows its place.
func (p *Place) With(r *http.Request) *http.Request {
	if p == nil {
		return r
	}
	return r.WithContext(context.WithValue(r.Context(), contextKey{}, p))
}

// Read gives back the place of the request that a context is of: nothing of its body is needed any more.
func Read(ctx context.Context) {
	p, _ := ctx.Value(contextKey{}).(*Place)
	p.Leave()
}
