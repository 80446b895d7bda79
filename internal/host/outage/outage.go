// Package outage logs that a part which requests need is away: one line when that begins, and one when it ends, with the number of
// requests that were refused in between.
package outage

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	// pingEvery is the pause between two looks whether a part is back.
	pingEvery = time.Second
	// pingTimeout bounds a look.
	pingTimeout = 3 * time.Second
)

// Part is a dependency of requests, such as Postgres.
type Part interface {
	// Name returns the name of the part, for operators.
	Name() string
	// Caused reports whether an error means that the part is away.
	Caused(err error) bool
	// Ping returns an error while the part is away.
	Ping(ctx context.Context) error
}

// Watch tracks which parts are away. It is safe for concurrent use. A nil Watch has none.
type Watch struct {
	log   *slog.Logger
	parts []*watchedPart
}

// New returns a watch of parts. Run has to run at the same time.
func New(log *slog.Logger, parts ...Part) *Watch {
	w := &Watch{log: log}
	for _, p := range parts {
		w.parts = append(w.parts, &watchedPart{Part: p, log: log, begins: make(chan struct{}, 1)})
	}
	return w
}

// Refused counts a request that was refused, or an act that failed, because of an error. It returns true if a part that is away caused the error:
// the watch logs it, and the caller logs nothing.
func (w *Watch) Refused(err error) bool {
	if w == nil || err == nil {
		return false
	}
	for _, p := range w.parts {
		if p.Caused(err) {
			p.refuse(err)
			return true
		}
	}
	return false
}

// Run logs the ends of outages until ctx ends.
func (w *Watch) Run(ctx context.Context) error {
	var all sync.WaitGroup
	for _, p := range w.parts {
		all.Go(func() { p.run(ctx) })
	}
	all.Wait()
	return nil
}

// watchedPart is a part and its outage.
type watchedPart struct {
	Part

	log    *slog.Logger
	begins chan struct{} // signals the begin of an outage

	mu      sync.Mutex
	since   time.Time // of the outage; zero: there is none
	refused int
}

func (p *watchedPart) refuse(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused++
	if !p.since.IsZero() {
		return
	}
	p.since = time.Now()
	p.log.Warn("requests are refused while a part is away", "part", p.Name(), "error", err)
	p.begins <- struct{}{} // empty: an outage begins after the end of the one before, which has taken its own
}

func (p *watchedPart) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.begins:
		}
		if !p.awaitEnd(ctx) {
			return
		}
		p.end()
	}
}

// awaitEnd waits until the part answers. It returns false if ctx has ended before.
func (p *watchedPart) awaitEnd(ctx context.Context) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pingEvery):
		}
		if p.answers(ctx) {
			return true
		}
	}
}

func (p *watchedPart) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return p.Ping(ctx) == nil
}

func (p *watchedPart) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log.Info("a part that was away is back", "part", p.Name(), "refused", p.refused, "duration", time.Since(p.since).Round(time.Millisecond))
	p.since, p.refused = time.Time{}, 0
}
