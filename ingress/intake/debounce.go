package intake

import (
	"sync"
	"time"

	"xbot/internal/chat"
)

// debouncer waits for the ends of bursts of messages, to wake their turns without delay. Its state may be lost: if the
// process ends, the relay finds the rows.
type debouncer struct {
	mu      sync.Mutex
	pending map[chat.SessionKey]*pendingEnd
	closed  bool
}

// pendingEnd is when the burst of a session is over.
type pendingEnd struct {
	at    time.Time
	timer Timer
}

// after calls end when the burst of a session is over, in the given time. A message that moves the end of a burst takes
// the place of those before it. end must return at once.
func (b *debouncer) after(clock Clock, key chat.SessionKey, wait time.Duration, end func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := clock.Now().Add(wait)
	known := b.pending[key]
	if b.closed || known != nil && known.at.After(at) {
		return
	}
	if known != nil {
		known.timer.Stop()
	}
	if b.pending == nil {
		b.pending = map[chat.SessionKey]*pendingEnd{}
	}
	next := &pendingEnd{at: at}
	next.timer = clock.After(wait, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.pending[key] == next {
			delete(b.pending, key)
			end()
		}
	})
	b.pending[key] = next
}

// close forgets the messages that are waited for; nothing ends after it.
func (b *debouncer) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for _, known := range b.pending {
		known.timer.Stop()
	}
	clear(b.pending)
}
