package largebody

import (
	"sync"
	"time"

	"xbot/internal/fault"
)

// uploadPause is the Retry-After of a refused upload.
const uploadPause = 10 * time.Second

// Uploads bounds the concurrent uploads of one caller in a process, including slow ones. K identifies a caller.
type Uploads[K comparable] struct {
	mu    sync.Mutex
	count map[K]int
}

// Enter admits an upload of a caller, who must call leave at its end. Errors are RateLimited if the limit is reached.
func (u *Uploads[K]) Enter(who K, most int) (leave func(), err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.count[who] >= most {
		return nil, fault.Limited(uploadPause, "you already have %d uploads in progress: try again when one of them has finished", most)
	}
	if u.count == nil {
		u.count = map[K]int{}
	}
	u.count[who]++
	return func() { u.leave(who) }, nil
}

// UnderWay returns the number of running uploads of a caller.
func (u *Uploads[K]) UnderWay(who K) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.count[who]
}

func (u *Uploads[K]) leave(who K) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.count[who]--; u.count[who] <= 0 {
		delete(u.count, who)
	}
}
