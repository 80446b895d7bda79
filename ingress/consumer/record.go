package consumer

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"xbot/internal/fault"
	"xbot/internal/service/servicestore"
)

const (
	// recordEvery is how soon a request is recorded at the latest: as much is lost if the process is killed.
	recordEvery = time.Second
	// recordMost is how many requests are written at once, and recordShare how many of one service may wait to be: many seconds' worth. More are
	// not recorded, so that no answer waits for the database.
	recordMost, recordShare = 500, 4096
	// recordTime bounds writing the waiting records, also the last time.
	recordTime = 10 * time.Second
)

// beyondKeys bounds the memory of keys that sent too many requests.
const beyondKeys = 10_000

// beyond notes in which minute a key sent more requests than it may. The zero value is ready.
type beyond struct {
	mu   sync.Mutex
	last map[string]time.Time // by key
}

// first reports whether it is the first such request of a key in its minute, in this process.
func (b *beyond) first(key string, at time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	minute := at.Truncate(time.Minute)
	if !minute.After(b.last[key]) {
		return false
	}
	if b.last == nil || len(b.last) >= beyondKeys {
		b.last = map[string]time.Time{}
	}
	b.last[key] = minute
	return true
}

// recorder writes records of requests in batches, without delaying their answers.
type recorder struct {
	store ServiceUsage
	log   *slog.Logger
	full  chan struct{} // a batch waits

	mu      sync.Mutex
	waiting []servicestore.Request
	of      map[string]int // how many of them are of a service
	lost    int            // how many were not recorded since the last report
}

func newRecorder(to ServiceUsage, log *slog.Logger) *recorder {
	return &recorder{store: to, log: log, full: make(chan struct{}, 1), of: map[string]int{}}
}

// add queues a request. It never waits.
func (r *recorder) add(q servicestore.Request) {
	q.ID = rand.Text()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of[q.Service] >= recordShare {
		r.lost++
		return
	}
	r.of[q.Service]++
	if r.waiting = append(r.waiting, q); len(r.waiting) >= recordMost {
		select {
		case r.full <- struct{}{}:
		default:
		}
	}
}

// start begins to write; stop writes the rest and returns then.
func (r *recorder) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// run writes until ctx ends, and then the rest.
func (r *recorder) run(ctx context.Context) {
	tick := time.NewTicker(recordEvery)
	defer tick.Stop()
	for {
		select {
		case <-r.full:
		case <-tick.C:
		case <-ctx.Done():
			r.write(context.WithoutCancel(ctx))
			return
		}
		r.write(ctx)
	}
}

// write records the waiting requests, all of them within recordTime. While the database is away they go on waiting.
func (r *recorder) write(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, recordTime)
	defer cancel()
	for {
		batch, lost := r.next()
		if lost > 0 {
			r.log.Warn("requests of consumers were not recorded: too many of their service waited for it", "requests", lost)
		}
		if len(batch) == 0 {
			return
		}
		err := r.store.RecordRequests(ctx, batch)
		if err != nil {
			r.log.Warn("requests of consumers were not recorded", "requests", len(batch), "error", err)
		}
		if err == nil || refused(err) {
			r.written(len(batch))
			continue
		}
		return
	}
}

// refused reports whether the database rejected a batch and would reject it again. A write that was canceled or timed out is repeated: the
// recorder may have been stopped in the middle of it, and rows that were written are skipped by their ids.
func refused(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	return fault.Is(err, fault.Invalid) || fault.Is(err, fault.Internal)
}

// next returns the next batch, and how many requests were not recorded since the last call.
func (r *recorder) next() (batch []servicestore.Request, lost int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lost, r.lost = r.lost, 0
	return slices.Clone(r.waiting[:min(len(r.waiting), recordMost)]), lost
}

// written forgets the first n that waited.
func (r *recorder) written(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, q := range r.waiting[:n] {
		if r.of[q.Service]--; r.of[q.Service] == 0 {
			delete(r.of, q.Service)
		}
	}
	r.waiting = slices.Delete(r.waiting, 0, n)
}
