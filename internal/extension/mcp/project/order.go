package project

import (
	"sync"
	"sync/atomic"
)

// maxOrdered bounds the number of tracked places.
const maxOrdered = 10_000

// lookOrder prevents an older read of a folder from being stored after a newer one.
type lookOrder struct {
	began atomic.Uint64

	mu     sync.Mutex
	places map[string]*lastLook
}

// lastLook is the newest stored read of a place.
type lastLook struct {
	mu     sync.Mutex // locked while a read is stored
	stored uint64
}

// at returns the newest stored read of a place.
func (o *lookOrder) at(place string) *lastLook {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.places == nil || len(o.places) == maxOrdered {
		o.places = map[string]*lastLook{}
	}
	if o.places[place] == nil {
		o.places[place] = &lastLook{}
	}
	return o.places[place]
}

// newest reports whether no newer read was stored, and records this one. The caller must hold mu.
func (l *lastLook) newest(began uint64) bool {
	if l.stored > began {
		return false
	}
	l.stored = began
	return true
}
