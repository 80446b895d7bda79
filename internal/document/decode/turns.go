package decode

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"xbot/internal/chat"
)

const (
	// slots is how many files are decoded at a time, so that their memory does not add up.
	slots = 2
	// ownSlots bounds the slots of one owner, so that others are not blocked.
	ownSlots = slots - 1
)

type ownerKey struct{}

// WithOwner returns a context that decodes files for an owner: a user, a sender or a consumer. Owners are served in turn, so that no owner waits for
// all files of another. Files without an owner share one.
func WithOwner(ctx context.Context, owner string) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

// WithUser is WithOwner for a user.
func WithUser(ctx context.Context, id chat.UserID) context.Context {
	return WithOwner(ctx, fmt.Sprint("user ", id))
}

func owner(ctx context.Context) string {
	name, _ := ctx.Value(ownerKey{}).(string)
	return name
}

// queue serves owners in turn.
type queue struct {
	mu      sync.Mutex
	running map[string]int    // by owner
	last    map[string]uint64 // increasing number of the last turn of each owner that waits or runs
	count   uint64
	waiting []*waiter // first in, first out per owner
}

// waiter is a waiting file.
type waiter struct {
	owner string
	ready chan struct{} // closed once it is its turn
}

var turns = &queue{running: map[string]int{}, last: map[string]uint64{}}

// wait returns once it is the turn of the owner; done ends the turn. The error is the cause of ctx.
func (q *queue) wait(ctx context.Context, owner string) (done func(), err error) {
	w := &waiter{owner, make(chan struct{})}
	q.mu.Lock()
	if _, known := q.last[owner]; !known {
		q.last[owner] = q.count // behind the owners that wait
	}
	q.waiting = append(q.waiting, w)
	q.next()
	q.mu.Unlock()
	select {
	case <-w.ready:
		return func() { q.done(owner) }, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	i := slices.Index(q.waiting, w)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		q.forget(owner)
	}
	q.mu.Unlock()
	if i < 0 { // its turn came in the meantime
		q.done(owner)
	}
	return nil, context.Cause(ctx)
}

// done ends a turn of an owner.
func (q *queue) done(owner string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running[owner]--; q.running[owner] == 0 {
		delete(q.running, owner)
		q.forget(owner)
	}
	q.next()
}

// forget deletes the turn of an owner that neither runs nor waits.
func (q *queue) forget(owner string) {
	if q.running[owner] == 0 && !slices.ContainsFunc(q.waiting, func(w *waiter) bool { return w.owner == owner }) {
		delete(q.last, owner)
	}
}

// next assigns free slots to the owners whose last turns are the oldest.
func (q *queue) next() {
	for {
		used, best := 0, -1
		for _, n := range q.running {
			used += n
		}
		for i, w := range q.waiting {
			if q.running[w.owner] < ownSlots && (best < 0 || q.last[w.owner] < q.last[q.waiting[best].owner]) {
				best = i
			}
		}
		if used == slots || best < 0 {
			return
		}
		w := q.waiting[best]
		q.waiting = slices.Delete(q.waiting, best, best+1)
		q.count++
		q.running[w.owner]++
		q.last[w.owner] = q.count
		close(w.ready)
	}
}
