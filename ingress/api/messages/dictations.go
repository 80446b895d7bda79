package messages

import (
	"maps"
	"slices"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// How many recordings are transcribed: of all users and of one at the same time, each in memory, and of one user within a minute.
const (
	recordingsAtOnce = 8
	ownAtOnce        = 2
	ownPerMinute     = 20
)

// dictations bound the recordings that a process transcribes. The zero value is ready.
type dictations struct {
	mu   sync.Mutex
	open int
	of   map[chat.UserID]*recentRecordings
}

// recentRecordings is the recent recordings of one user.
type recentRecordings struct {
	open  int
	began []time.Time // within the last minute, the oldest first
}

// begin takes a place for a recording of a user; done gives it back. It returns RateLimited if there is none now.
func (d *dictations) begin(user chat.UserID, now time.Time) (done func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget(now.Add(-time.Minute))
	mine := d.of[user]
	if mine == nil {
		mine = &recentRecordings{}
	}
	switch {
	case mine.open >= ownAtOnce:
		return nil, fault.Limited(time.Second, "%d of your recordings are being transcribed; send this one when one of them is done", mine.open)
	case len(mine.began) >= ownPerMinute:
		return nil, fault.Limited(mine.began[0].Add(time.Minute).Sub(now), "at most %d recordings of a person are transcribed in a minute; send this one later", ownPerMinute)
	case d.open >= recordingsAtOnce:
		return nil, fault.Limited(time.Second, "too many recordings are being transcribed; send this one again in a moment")
	}
	d.open++
	mine.open++
	mine.began = append(mine.began, now)
	if d.of == nil {
		d.of = map[chat.UserID]*recentRecordings{}
	}
	d.of[user] = mine
	return sync.OnceFunc(func() { d.end(mine) }), nil
}

func (d *dictations) end(mine *recentRecordings) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open--
	mine.open--
}

// forget removes dictations that began before a time, and users who have none left.
func (d *dictations) forget(before time.Time) {
	maps.DeleteFunc(d.of, func(_ chat.UserID, p *recentRecordings) bool {
		p.began = slices.DeleteFunc(p.began, func(at time.Time) bool { return at.Before(before) })
		return p.open == 0 && len(p.began) == 0
	})
}
