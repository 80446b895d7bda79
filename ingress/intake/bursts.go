package intake

import (
	"sync"
	"time"

	"xbot/internal/chat"
)

// bursts waits for the ends of bursts of messages, to wake their turns without delay. It holds nothing that matters: what
// it forgets when the process ends, the relay finds in the rows.
type bursts struct {
	mu     sync.Mutex
	ends   map[chat.SessionKey]*burst
	closed bool
}

type burst struct {
	at   time.Time
	stop func()
}

// after calls end when the burst of a session is over, in the given time. A message that moves the end of a burst takes
// the place of those before it. end must return at once.
func (b *bursts) after(clock Clock, key chat.SessionKey, wait time.Duration, end func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := clock.Now().Add(wait)
	known := b.ends[key]
	if b.closed || known != nil && known.at.After(at) {
		return
	}
	if known != nil {
		known.stop()
	}
	if b.ends == nil {
		b.ends = map[chat.SessionKey]*burst{}
	}
	next := &burst{at: at}
	next.stop = clock.After(wait, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.ends[key] == next {
			delete(b.ends, key)
			end()
		}
	})
	b.ends[key] = next
}

// close forgets what is waited for; nothing ends after it.
func (b *bursts) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for _, known := range b.ends {
		known.stop()
	}
	clear(b.ends)
}
