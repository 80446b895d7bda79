package files

import (
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// How many pages are drawn, or wait for it, at the same time: of all users and of one. Each holds its file in memory.
const (
	drawingsAtOnce = 4
	ownAtOnce      = 2
)

// drawings bound the pages that a process draws. The zero value is ready.
type drawings struct {
	mu   sync.Mutex
	open int
	of   map[chat.UserID]int
}

// begin takes a place for a page that a user looks at; done gives it back. It returns RateLimited if there is none now.
func (d *drawings) begin(user chat.UserID) (done func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.of[user] >= ownAtOnce:
		return nil, fault.Limited(time.Second, "%d pages are being drawn for you; ask for this one when one of them is done", d.of[user])
	case d.open >= drawingsAtOnce:
		return nil, fault.Limited(time.Second, "too many pages are being drawn; ask for this one again in a moment")
	}
	if d.of == nil {
		d.of = map[chat.UserID]int{}
	}
	d.open++
	d.of[user]++
	return sync.OnceFunc(func() { d.end(user) }), nil
}

func (d *drawings) end(user chat.UserID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open--
	if d.of[user]--; d.of[user] == 0 {
		delete(d.of, user)
	}
}
