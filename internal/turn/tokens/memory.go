package tokens

import (
	"hash/maphash"
	"sync"
)

// generation is how many counts are cached before the older half is dropped: of 16 bytes each and some, about three megabytes in all.
const generation = 32768

var (
	seed       = maphash.MakeSeed()
	remembered memory
)

// key identifies a text. Two texts of one length that share 64 bits would get one count, which is an estimate anyway.
type key struct {
	hash uint64
	size int
}

// memory caches the counts of recently counted texts. It holds no text.
type memory struct {
	mu       sync.Mutex
	new, old map[key]int
}

func (m *memory) get(k key) (int, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, known := m.new[k]
	if known {
		return n, true
	}
	if n, known = m.old[k]; known {
		m.add(k, n)
	}
	return n, known
}

func (m *memory) put(k key, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(k, n)
}

func (m *memory) add(k key, n int) {
	if m.new == nil || len(m.new) >= generation {
		m.old, m.new = m.new, make(map[key]int)
	}
	m.new[k] = n
}
