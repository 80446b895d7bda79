// Package follow reads the events of a session as they come: the durable ones in order, from the cache of the feed or from the database, and
// the live ones between them.
package follow

import (
	"cmp"
	"context"
	"time"

	"xbot/internal/chat"
	"xbot/internal/feed"
)

const (
	// pingEvery keeps proxies from closing an idle stream, and finds readers that are gone (30 s).
	pingEvery = 15 * time.Second
	// pollEvery finds durable events whose notification was lost with a crash.
	pollEvery = 2 * time.Second
	// batch bounds the durable events read at once.
	batch = 200
)

// Store has the durable events.
type Store interface {
	EventsAfter(ctx context.Context, key chat.SessionKey, after int64, limit int) ([]chat.Event, error)
}

// Reader takes the events. An error of any method ends the reading.
type Reader interface {
	Live(ctx context.Context, e chat.Event) error
	Durable(ctx context.Context, e chat.Event) error
	// CaughtUp is called after the durable events that there are.
	CaughtUp(ctx context.Context) error
	// May reports whether the reader may still read: credentials may have been revoked and the session deleted.
	May(ctx context.Context) error
	Ping(ctx context.Context) error
}

// Events are the events of a session, for one reader.
type Events struct {
	Session   chat.SessionKey
	Store     Store
	Bus       *feed.Bus
	Sub       *feed.Subscription
	Reader    Reader
	Read      int64           // sequence of the last durable event that was read
	Closing   <-chan struct{} // closed when the server stops; nil: it never does
	Closed    error           // what Run returns then
	PingEvery time.Duration   // 0: 15 s
	PollEvery time.Duration   // 0: 2 s
}

// Run gives the reader new events, until ctx ends, the server stops or the reader returns an error.
func (e *Events) Run(ctx context.Context) error {
	ping, poll := time.NewTicker(cmp.Or(e.PingEvery, pingEvery)), time.NewTicker(cmp.Or(e.PollEvery, pollEvery))
	defer ping.Stop()
	defer poll.Stop()
	access, leave := e.Bus.AccessChanges()
	defer leave()
	if err := e.Reader.May(ctx); err != nil { // access that was withdrawn before AccessChanges would have reported it
		return err
	}
	for {
		var err error
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-e.Closing:
			return e.Closed
		case live := <-e.Sub.Live():
			err = e.Reader.Live(ctx, live)
		case <-e.Sub.Woken():
			err = e.catchUp(ctx, true)
		case <-poll.C:
			err = e.catchUp(ctx, false)
		case <-access:
			err = e.Reader.May(ctx)
		case <-ping.C:
			if err = e.Reader.May(ctx); err == nil {
				err = e.Reader.Ping(ctx)
			}
		}
		if err != nil {
			return err
		}
	}
}

// catchUp gives the durable events that are cached, or reads them from the database if the cache may be incomplete. The live events that are
// there when these are read come first: all that were published before a durable event are among them.
func (e *Events) catchUp(ctx context.Context, useCache bool) error {
	var events []chat.Event
	var cached bool
	var err error
	if useCache {
		events, cached = e.Sub.Recent(e.Read)
	}
	if !cached {
		if events, err = e.Store.EventsAfter(ctx, e.Session, e.Read, batch); err != nil {
			return err
		}
	}
	for range len(e.Sub.Live()) {
		if err := e.Reader.Live(ctx, <-e.Sub.Live()); err != nil {
			return err
		}
	}
	if err := e.durable(ctx, events); err != nil {
		return err
	}
	if !cached && len(events) == batch {
		return e.Rows(ctx)
	}
	return e.Reader.CaughtUp(ctx)
}

// Rows gives the durable events from the database. A reader may call it to read what precedes a live event.
func (e *Events) Rows(ctx context.Context) error {
	for {
		events, err := e.Store.EventsAfter(ctx, e.Session, e.Read, batch)
		if err != nil {
			return err
		}
		if err := e.durable(ctx, events); err != nil {
			return err
		}
		if len(events) < batch {
			return e.Reader.CaughtUp(ctx)
		}
	}
}

func (e *Events) durable(ctx context.Context, events []chat.Event) error {
	for _, one := range events {
		if one.Seq <= e.Read {
			continue
		}
		e.Read = one.Seq
		if err := e.Reader.Durable(ctx, one); err != nil {
			return err
		}
	}
	return nil
}
