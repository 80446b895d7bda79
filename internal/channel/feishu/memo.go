package feishu

import (
	"sync"
	"time"
)

const (
	// memoFor is how long what was looked up is believed; what was not found is looked up again sooner.
	memoFor   = 6 * time.Hour
	absentFor = 10 * time.Minute
	// maxMemo bounds how much of a kind is remembered.
	maxMemo = 4096
)

// memo remembers what was looked up. Losing it costs a call.
type memo[T any] struct {
	mu    sync.Mutex
	items map[string]remembered[T]
}

type remembered[T any] struct {
	value T
	until time.Time
}

func newMemo[T any]() *memo[T] { return &memo[T]{items: map[string]remembered[T]{}} }

func (m *memo[T]) get(key string) (T, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.items[key]
	if !ok || time.Now().After(r.until) {
		var none T
		return none, false
	}
	return r.value, true
}

func (m *memo[T]) put(key string, value T, life time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.items) >= maxMemo {
		n := 0
		for k := range m.items { // a random eighth gives way
			delete(m.items, k)
			if n++; n >= maxMemo/8 {
				break
			}
		}
	}
	m.items[key] = remembered[T]{value, time.Now().Add(life)}
}
