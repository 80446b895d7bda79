package feishu

import (
	"slices"
	"strconv"
	"time"
)

const (
	// partsFor is how long the parts of an event are waited for: the platform sends all of them again after that.
	partsFor = 5 * time.Second
	// maxParts, maxAssembling and maxEvent bound what waits: parts of an event, events, and bytes of one.
	maxParts      = 256
	maxAssembling = 64
	maxEvent      = 16 << 20
)

// parts are what has come of an event that the platform has divided.
type parts struct {
	all   [][]byte
	got   int
	bytes int
	since time.Time
}

// assemble returns the payload of an event once all its parts are there.
func (l *link) assemble(f *Frame, now time.Time) ([]byte, bool) {
	sum, _ := strconv.Atoi(f.Get("sum")) // no number: one part
	if sum <= 1 {
		return f.Payload, true
	}
	seq, err := strconv.Atoi(f.Get("seq"))
	id := f.Get("message_id")
	if err != nil || seq < 0 || seq >= sum || sum > maxParts || id == "" {
		return nil, false
	}
	for key, p := range l.parts {
		if now.Sub(p.since) > partsFor {
			delete(l.parts, key)
		}
	}
	p := l.parts[id]
	if p == nil || len(p.all) != sum {
		if len(l.parts) >= maxAssembling {
			return nil, false
		}
		p = &parts{all: make([][]byte, sum), since: now}
		l.parts[id] = p
	}
	if p.all[seq] == nil {
		p.all[seq] = append([]byte{}, f.Payload...)
		p.got++
		p.bytes += len(f.Payload)
	}
	if p.bytes > maxEvent {
		delete(l.parts, id)
		return nil, false
	}
	if p.got < sum {
		return nil, false
	}
	delete(l.parts, id)
	return slices.Concat(p.all...), true
}
