package feed

import (
	"slices"

	"xbot/internal/chat"
)

// Bounds of the durable events that a topic caches. Readers who are further behind read rows.
const (
	maxRecent      = 64
	maxRecentBytes = 256 << 10
)

// recent is the newest durable events of a session, without a gap, so that subscribers need not read them from the database. The zero value
// is empty.
type recent struct {
	events []chat.Event
	bytes  int
	last   int64 // sequence of the newest event; 0: not known
}

// add adds the events of a commit. Commits may arrive out of order: after a gap only the newer ones are cached.
func (r *recent) add(events []chat.Event) {
	if len(events) == 0 || events[len(events)-1].Seq <= r.last {
		return
	}
	if events[0].Seq != r.last+1 {
		*r = recent{}
	}
	r.last = events[len(events)-1].Seq
	r.events = append(r.events, events...)
	for _, e := range events {
		r.bytes += len(e.Data)
	}
	for len(r.events) > maxRecent || r.bytes > maxRecentBytes {
		r.bytes -= len(r.events[0].Data)
		r.events = slices.Delete(r.events, 0, 1)
	}
}

// after returns the events that follow a sequence. known is false if there may be others.
func (r *recent) after(seq int64) (events []chat.Event, known bool) {
	missing := r.last - seq
	if r.last == 0 || missing < 0 || missing > int64(len(r.events)) {
		return nil, false
	}
	return slices.Clone(r.events[len(r.events)-int(missing):]), true
}
