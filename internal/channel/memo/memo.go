// Package memo implements a bounded cache for lookups of channels, such as names. Losing an entry costs a call.
package memo

import (
	"sync"
	"time"
)

// most is how many entries a memo holds.
const most = 4096

// Memo is a cache by key. It is safe for concurrent use.
type Memo[T any] struct {
	mu    sync.Mutex
	items map[string]item[T]
}

type item[T any] struct {
	value T
	until time.Time
}

// New returns an empty memo.
func New[T any]() *Memo[T] { return &Memo[T]{items: map[string]item[T]{}} }

// Get returns an entry; ok is false if there is none or its time is over.
func (m *Memo[T]) Get(key string) (value T, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found, ok := m.items[key]
	if !ok || time.Now().After(found.until) {
		return value, false
	}
	return found.value, true
}

// Put adds an entry for some time. A random eighth of the entries makes room where the memo is full.
func (m *Memo[T]) Put(key string, value T, life time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.items) >= most {
		n := 0
		for k := range m.items {
			delete(m.items, k)
			if n++; n >= most/8 {
				break
			}
		}
	}
	m.items[key] = item[T]{value, time.Now().Add(life)}
}
