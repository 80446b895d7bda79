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
	// recordEvery is the interval of writes. A killed process loses the records of at most one interval.
	recordEvery = time.Second
	// recordMost is the maximum number of requests in a batch, and recordShare that of requests of one service that wait, enough for many seconds.
	// Further requests are not recorded, so that no answer waits for the database.
	recordMost, recordShare = 500, 4096
	// recordTime limits one write of all waiting records, also the one at the end of the process.
	recordTime = 10 * time.Second
)

// beyondKeys is the maximum number of keys that beyond remembers.
const beyondKeys = 10_000

// beyond remembers the last minute in which each key exceeded its rate limit. The zero value is ready for use.
type beyond struct {
	mu   sync.Mutex
	last map[string]time.Time // by key
}

// first reports whether this is the first request of a key over its limit in this minute, in this process.
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
	full  chan struct{} // signals that a full batch waits

	mu      sync.Mutex
	waiting []servicestore.Request
	of      map[string]int // number of waiting requests by service
	lost    int            // number of requests that were not recorded since the last report
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

// start starts writing in the background. stop writes the rest, and returns when that is done.
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

// write records all waiting requests, within recordTime. If the database is unavailable, they stay in the queue.
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

// next returns the next batch, and the number of requests that were not recorded since the last call. The batch stays in the queue until
// written is called.
func (r *recorder) next() (batch []servicestore.Request, lost int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lost, r.lost = r.lost, 0
	return slices.Clone(r.waiting[:min(len(r.waiting), recordMost)]), lost
}

// written removes the first n requests from the queue.
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
