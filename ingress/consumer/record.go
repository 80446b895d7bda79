package consumer

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"xbot/internal/store/services"
)

const (
	// recordEvery is how soon a request is recorded at the latest: as much is lost if the process is killed.
	recordEvery = time.Second
	// recordMost is how many requests are written at once, and recordQueue how many may wait to be. Beyond it requests wait for the database.
	recordMost, recordQueue = 500, 4096
	// recordTime bounds one write, also the last one.
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

// records keeps what is recorded of requests.
type records interface {
	RecordRequests(ctx context.Context, all []services.Request) error
}

// recorder writes what is recorded of requests, in batches, beside their answers.
type recorder struct {
	store records
	log   *slog.Logger
	queue chan services.Request
}

func newRecorder(to records, log *slog.Logger) *recorder {
	return &recorder{store: to, log: log, queue: make(chan services.Request, recordQueue)}
}

// add hands a request over. It waits only where as many wait as may.
func (r *recorder) add(q services.Request) { r.queue <- q }

// start begins to write; stop writes what is left and returns then.
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

// run writes until ctx ends, and then what is left.
func (r *recorder) run(ctx context.Context) {
	tick := time.NewTicker(recordEvery)
	defer tick.Stop()
	var batch []services.Request
	for {
		select {
		case q := <-r.queue:
			if batch = append(batch, q); len(batch) >= recordMost {
				batch = r.write(ctx, batch)
			}
		case <-tick.C:
			batch = r.write(ctx, batch)
		case <-ctx.Done():
			for len(r.queue) > 0 {
				batch = append(batch, <-r.queue)
			}
			r.write(context.WithoutCancel(ctx), batch)
			return
		}
	}
}

// write records requests and returns those that are to be tried again. While the database is away they wait, as many as fit.
func (r *recorder) write(ctx context.Context, batch []services.Request) []services.Request {
	if len(batch) == 0 {
		return batch
	}
	ctx, cancel := context.WithTimeout(ctx, recordTime)
	defer cancel()
	if err := r.store.RecordRequests(ctx, batch); err != nil {
		r.log.Warn("requests of consumers were not recorded", "requests", len(batch), "error", err)
		if len(batch) < recordQueue {
			return batch
		}
	}
	return nil
}
