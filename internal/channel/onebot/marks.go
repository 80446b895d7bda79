package onebot

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"xbot/internal/channel"
)

// marks records up to when all events were processed: later ones are looked up after a new connection.
type marks struct {
	mu     sync.Mutex
	newest time.Time            // of the processed events
	open   map[*event]time.Time // events that came and are not processed yet
	taken  map[string]bool      // the newest processed ones, by id
	order  []string             // of taken
	saved  time.Time            // the mark that was saved
	stored time.Time            // when
}

const (
	markKey   = "since"
	saveEvery = 2 * time.Second
	saveWait  = 5 * time.Second
)

func newMarks() *marks { return &marks{open: map[*event]time.Time{}, taken: map[string]bool{}} }

// mark is the saved state.
type mark struct {
	Since time.Time `json:"since"`
}

// start returns since when events may be missing; zero on the very first start. Events that an older connection left open
// count as missing.
func (m *marks) start(ctx context.Context, memory channel.Memory, now time.Time) (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.newest.IsZero() && memory != nil {
		data, err := memory.Load(ctx, markKey)
		if err != nil {
			return time.Time{}, err
		}
		var saved mark
		if json.Unmarshal(data, &saved) == nil { // an unreadable mark counts as lost
			m.newest = saved.Since
		}
	}
	since := m.since()
	clear(m.open)
	m.newest = since
	if since.IsZero() {
		m.newest = now
	}
	return since, nil
}

func (m *marks) since() time.Time {
	since := m.newest
	for _, at := range m.open {
		if at.Before(since) {
			since = at
		}
	}
	return since
}

func (m *marks) begin(e *event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open[e] = e.Time.Time()
}

func (m *marks) done(e *event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, ok := m.open[e]
	if !ok {
		return
	}
	delete(m.open, e)
	if id := e.id(); !m.taken[id] {
		m.taken[id], m.order = true, append(m.order, id)
	}
	if len(m.order) > maxMet {
		delete(m.taken, m.order[0])
		m.order = m.order[1:]
	}
	if at.After(m.newest) {
		m.newest = at
	}
}

// has reports whether a message is known to have been processed.
func (m *marks) has(e *event) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.taken[e.id()]
}

// save keeps the mark for the next process, not more often than every few seconds unless it is the last time.
func (m *marks) save(ctx context.Context, memory channel.Memory, last bool) error {
	if memory == nil {
		return nil
	}
	m.mu.Lock()
	since := m.since()
	due := !since.Equal(m.saved) && (last || time.Since(m.stored) >= saveEvery)
	if due {
		m.saved, m.stored = since, time.Now()
	}
	m.mu.Unlock()
	if !due {
		return nil
	}
	data, err := json.Marshal(mark{Since: since})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveWait)
	defer cancel()
	return memory.Save(ctx, markKey, data)
}
