package largebody

import (
	"sync"
	"time"

	"xbot/internal/fault"
)

// uploadPause is when an upload that was refused may be sent again.
const uploadPause = 10 * time.Second

// Uploads bounds how many uploads of one caller are under way in a process, however slowly they come. K identifies a caller.
type Uploads[K comparable] struct {
	mu    sync.Mutex
	count map[K]int
}

// Enter admits an upload of a caller; leave has to be called at its end. RateLimited: there are as many as may be at once.
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

// UnderWay returns how many uploads of a caller are under way.
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
