package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"xbot/internal/fault"
)

const (
	// pingTime limits the time of a process to answer anything after a request used up all its time.
	pingTime = 5 * time.Second
	// maxLate is the number of requests in a row that use up their time, with none answered, after which the process is ended.
	maxLate = 5
)

var (
	errSilent = fault.Errorf(fault.Unavailable, "it answered nothing any more")
	errLate   = fault.Errorf(fault.Unavailable, "it answered none of its last requests in time")
)

// doubt records whether a process still works.
type doubt struct {
	answered atomic.Int64 // requests that it answered, also with an error
	late     atomic.Int32 // requests in a row that used up their time
	pinged   atomic.Bool  // a ping is running
}

// doubt is called where a request was not answered. Others may be in progress in the process, so it is not ended for that: it is
// pinged, and has pingTime to answer that or anything else. waited: the caller did not leave; whole: the request had all the
// time that requests have; where it had less the process may be at work on it, or on another one, and gets that time as well.
func (p *process) doubt(waited, whole bool) {
	d := &p.stream.doubt
	patience := pingTime
	if !waited || !whole {
		patience += p.plugin.Timeout()
	}
	if waited && d.late.Add(1) >= maxLate && whole {
		p.end(errLate)
		return
	}
	if !d.pinged.CompareAndSwap(false, true) {
		return
	}
	p.bridge.mu.Lock()
	defer p.bridge.mu.Unlock()
	if !p.bridge.closed { // Close waits for no new work
		p.bridge.work.Go(func() {
			defer d.pinged.Store(false)
			p.ping(patience)
		})
	}
}

// ping ends a process that answers nothing. Any answer counts: also that there is no such method, and one to another request.
func (p *process) ping(patience time.Duration) {
	before := p.stream.doubt.answered.Load()
	ctx, cancel := context.WithTimeout(p.life, patience)
	defer cancel()
	err := p.call(ctx, "ping", struct{}{}, &json.RawMessage{})
	_, refused := asRefused(err)
	lost := errors.Is(err, errUnanswered) || fault.Is(err, fault.Unavailable) // it was not even read
	if lost && !refused && p.stream.doubt.answered.Load() == before {
		p.end(errSilent)
	}
}
