package project

import (
	"sync"
	"sync/atomic"
)

// maxOrdered bounds how many places are told apart.
const maxOrdered = 10_000

// lookOrder keeps a look at a folder that began before another one from being noted after it.
type lookOrder struct {
	began atomic.Uint64

	mu    sync.Mutex        // held while a look is noted
	noted map[string]uint64 // the newest look at a place that was noted
}

// newest reports whether no later look at a place was noted, and notes this one. The caller holds mu.
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
