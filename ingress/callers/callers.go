// Package callers bounds how many requests of one caller a process answers at once, those whose client does not read included.
package callers

import (
	"sync"
	"time"

	"xbot/internal/fault"
)

// pause is the Retry-After of a refused request.
const pause = 10 * time.Second

// Limit counts the open requests of each caller. K identifies a caller. The zero value is ready.
type Limit[K comparable] struct {
	mu   sync.Mutex
	open map[K]int
}

// Enter admits a request of a caller, who must call leave at its end. what names the requests in the error, which is RateLimited if most of them are
// open.
func (l *Limit[K]) Enter(who K, most int, what string) (leave func(), err error) {
	return l.EnterOr(who, most, fault.Limited(pause, "you already have %d %s open: close one of them, or try again later", most, what))
}

// EnterOr is Enter with another error for who is refused.
func (l *Limit[K]) EnterOr(who K, most int, refused error) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[who] >= most {
		return nil, refused
	}
	if l.open == nil {
		l.open = map[K]int{}
	}
	l.open[who]++
	return sync.OnceFunc(func() { l.leave(who) }), nil
}

func (l *Limit[K]) leave(who K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[who]--; l.open[who] <= 0 {
		delete(l.open, who)
	}
}
