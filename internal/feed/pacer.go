package feed

import (
	"sync"
	"time"
)

// pace is how often pieces of something live are published (DESIGN §8: 30 to 50 ms).
const pace = 33 * time.Millisecond

// pacer publishes what comes after a pause at once, and what comes quickly at the pace. Its owner adds to what is
// pending under the lock and then calls schedule.
type pacer struct {
	mu     sync.Mutex
	timer  *time.Timer // nil while nothing was published lately
	closed bool

	owner paced
}

// paced is what a pacer publishes. Both are called under the lock.
type paced interface {
	waits() bool // whether something is to be published
	publish()    // all of it
}

// schedule publishes, or leaves it to the timer. The caller holds the lock.
func (p *pacer) schedule() {
	if p.closed || p.timer != nil {
		return
	}
	p.owner.publish()
	p.timer = time.AfterFunc(pace, p.tick)
}

func (p *pacer) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	if !p.owner.waits() {
		p.timer = nil
		return
	}
	p.owner.publish()
	p.timer.Reset(pace)
}

// Close publishes the rest; what is added later is not published.
func (p *pacer) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.owner.publish()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
}
