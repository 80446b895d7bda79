package auth

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"xbot/internal/fault"
)

const (
	// hashWait is how long a password waits for a free processor.
	hashWait = 10 * time.Second
	// laneLength is how many passwords of one address may wait; more are refused, so that a client that guesses fills only
	// its lane.
	laneLength = 8
	// maxLanes bounds the memory of addresses that have had a turn.
	maxLanes = 10_000
)

// gate limits how many passwords are hashed at the same time. The others wait in lanes: one for each address, and one for
// each known browser. The next password comes from a known browser, else from the lane that has had the fewest turns, else
// from the lane that came last. So a client that sends many passwords waits behind one that sends one, even with many
// addresses.
type gate struct {
	mu      sync.Mutex
	room    int
	busy    int
	waiting int
	arrived int // counts arrivals, to find the last one
	lanes   map[lane]*queue
}

// lane is the queue of passwords of one address or known browser.
type lane struct {
	known bool
	name  string
}

type queue struct {
	served int // turns that it has had while others were busy, too
	heads  []waiter
}

type waiter struct {
	number int
	turn   chan struct{}
}

// hashing has room for half of the processors, so that no number of sign-ins keeps the others waiting.
var hashing = &gate{room: max(1, runtime.GOMAXPROCS(0)/2)}

// hashed runs fn, which hashes a password, when there is room.
func (g *gate) hashed(ctx context.Context, in lane, fn func() error) error {
	mine, err := g.enter(in)
	if err != nil {
		return err
	}
	timer := time.NewTimer(hashWait)
	defer timer.Stop()
	select {
	case <-mine.turn:
		defer g.leave()
		return fn()
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = fault.Limited(hashWait, "too many people sign in at once; try again in a moment")
	}
	g.giveUp(in, mine)
	return err
}

func (g *gate) enter(in lane) (waiter, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	q := g.lanes[in]
	if q == nil {
		q = &queue{}
		g.remember(in, q)
	}
	if len(q.heads) >= laneLength {
		return waiter{}, fault.Limited(time.Second, "too many people sign in from this address at once; try again in a moment")
	}
	g.arrived++
	w := waiter{number: g.arrived, turn: make(chan struct{})}
	q.heads = append(q.heads, w)
	g.waiting++
	g.next()
	return w, nil
}

// remember adds a lane, and forgets empty ones when there are too many.
func (g *gate) remember(in lane, q *queue) {
	if g.lanes == nil {
		g.lanes = map[lane]*queue{}
	}
	if len(g.lanes) >= maxLanes {
		for name, other := range g.lanes {
			if len(other.heads) == 0 {
				delete(g.lanes, name)
			}
		}
	}
	g.lanes[in] = q
}

// next gives free room to those whose turn it is.
func (g *gate) next() {
	for g.busy < g.room && g.waiting > 0 {
		var best *queue
		var of lane
		for in, q := range g.lanes {
			if len(q.heads) > 0 && (best == nil || before(in, q, of, best)) {
				best, of = q, in
			}
		}
		close(best.heads[0].turn)
		best.heads = best.heads[1:]
		best.served++
		g.busy++
		g.waiting--
	}
}

func before(a lane, qa *queue, b lane, qb *queue) bool {
	switch {
	case a.known != b.known:
		return a.known
	case qa.served != qb.served:
		return qa.served < qb.served
	}
	return qa.heads[0].number > qb.heads[0].number
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done()
}

// done passes a turn on. Once no password waits, the counts of turns are forgotten.
func (g *gate) done() {
	g.busy--
	g.next()
	if g.busy == 0 {
		clear(g.lanes)
	}
}

// giveUp removes a waiting password from its lane. If it was given a turn at that moment, it passes the turn on.
func (g *gate) giveUp(in lane, w waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-w.turn:
		g.done()
		return
	default:
	}
	q := g.lanes[in]
	q.heads = slices.DeleteFunc(q.heads, func(other waiter) bool { return other.number == w.number })
	g.waiting--
}
