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

	mu    sync.Mutex        // locked while a read is stored
	noted map[string]uint64 // the newest stored read of each place
}

// newest reports whether no newer read of a place was stored, and records this one. The caller must hold mu.
func (o *lookOrder) newest(at string, began uint64) bool {
	if o.noted[at] > began {
		return false
	}
	if o.noted == nil || len(o.noted) == maxOrdered {
		o.noted = map[string]uint64{}
	}
	o.noted[at] = began
	return true
}
