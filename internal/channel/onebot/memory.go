package onebot

import (
	"maps"
	"slices"
	"sync"
	"time"
	"xbot/internal/channel/onebot/wire"
)

// How long names of users and groups are remembered. A missing name is remembered for a shorter time.
const (
	nameLife   = 10 * time.Minute
	absentLife = time.Minute
)

// named remembers the name of a user or a group; empty: it was not found.
func (a *account) named(key, name string) {
	life := nameLife
	if name == "" {
		life = absentLife
	}
	a.names.Put(key, name, life)
}

// recentMessages remembers the newest messages by NapCat's number, for notices that name no time.
type recentMessages struct {
	mu    sync.Mutex
	known map[string]metEntry
	order []string
	files map[string]fileEntry // files that came as messages, or as notices
	chats map[string]bool      // places from which something came
}

type metEntry struct {
	id     string // of the envelope
	self   bool
	sender string
}

const maxMet = 4096

func newMet() *recentMessages {
	return &recentMessages{known: map[string]metEntry{}, files: map[string]fileEntry{}, chats: map[string]bool{}}
}

func (m *recentMessages) put(place string, id wire.Number, e metEntry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := place + "." + string(id)
	if _, ok := m.known[key]; !ok {
		m.order = append(m.order, key)
	}
	m.known[key] = e
	if len(m.chats) < maxChats {
		m.chats[place] = true
	}
	if len(m.order) > maxMet {
		delete(m.known, m.order[0])
		m.order = m.order[1:]
	}
}

func (m *recentMessages) get(place string, id wire.Number) (metEntry, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.known[place+"."+string(id)]
	return e, ok
}

// maxChats bounds the chats whose history is read.
const maxChats = 500

// places returns the chats from which something came.
func (m *recentMessages) places() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.chats))
}

// twinWait is how far the two reports of one file may be apart: NapCat reports a file in a group by a message and by a
// notice, in either order.
const twinWait = time.Minute

type fileEntry struct {
	at     time.Time
	notice bool
}

// twin reports whether the other report of a file came before, and remembers this one if not.
func (m *recentMessages) twin(key string, at time.Time, notice bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if before, ok := m.files[key]; ok && before.notice != notice && at.Sub(before.at).Abs() <= twinWait {
		return true
	}
	if len(m.files) >= maxMet {
		clear(m.files) // the worst is that one file comes twice
	}
	m.files[key] = fileEntry{at: at, notice: notice}
	return false
}
