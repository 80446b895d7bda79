package consumer

import (
	"sync"
	"time"

	"xbot/internal/fault"
)

const (
	// uploadsOfKey bounds how many uploads of a key are under way in this process.
	uploadsOfKey = 4
	// uploadTime is how long one upload may take, however steadily it comes.
	uploadTime = 10 * time.Minute
	// uploadPause is when one that was refused may be sent again.
	uploadPause = 10 * time.Second
)

// errLate is the error of an upload that took too long.
var errLate = fault.Errorf(fault.Invalid, "the upload took longer than %d minutes: send fewer or smaller files at once", int(uploadTime.Minutes()))

// uploads counts those that are under way, by key.
type uploads struct {
	time time.Duration // for one

	mu    sync.Mutex
	count map[string]int
}

func newUploads() *uploads { return &uploads{time: uploadTime, count: map[string]int{}} }

// enter admits an upload of a key; leave is to be called in the end.
func (u *uploads) enter(key string) (leave func(), err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.count[key] >= uploadsOfKey {
		return nil, fault.Limited(uploadPause, "%d uploads of this key are under way already: send this one when one of them is done", uploadsOfKey)
	}
	u.count[key]++
	return func() { u.leave(key) }, nil
}

func (u *uploads) leave(key string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.count[key]--; u.count[key] <= 0 {
		delete(u.count, key)
	}
}
