package feed

import (
	"time"

	"xbot/internal/chat"
)

// Topics returns how many sessions the bus keeps something of.
func Topics(b *Bus) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.topics)
}

// Forget makes the bus look at its sessions as it does now and then.
func Forget(b *Bus, now time.Time) { b.forget(now) }

// WakeLocal has the subscribers of a session read the rows, as a packet of another process does.
func WakeLocal(b *Bus, key chat.SessionKey) { b.wakeLocal(key) }
