package feed

import (
	"sync"
	"time"
)

// pace is the interval between pieces of live output (30 to 50 ms).
const pace = 33 * time.Millisecond

// pacer publishes at once after a pause, and at the pace otherwise. Its owner adds to the pending output under the lock and then calls
// schedule.
type pacer struct {
	mu     sync.Mutex
	timer  *time.Timer // nil if nothing was published recently
	closed bool

	owner paced
}

// paced is the output that a pacer publishes. Both methods are called under the lock.
type paced interface {
	waits() bool // whether output is pending
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
