package api

import (
	"context"
	"encoding/json"
	"time"

	"xbot/internal/chat"
)

const (
	// pingEvery keeps proxies from closing an idle stream, and finds clients that are gone (spec/001 §9.2: 30 s).
	pingEvery = 15 * time.Second
	// pollEvery finds durable events whose notification was lost with a crash.
	pollEvery = 2 * time.Second
	// eventBatch bounds the durable events read at once.
	eventBatch = 200
)

// Hello is the first event of a connection.
type Hello struct {
	Seq     int64        `json:"seq" doc:"Of the newest durable event."`
	Session chat.Session `json:"session"`
}

// client is one end of an event stream.
type client interface {
	Send(e chat.Event) error
	Ping() error
}

// watch sends a session's events after a cursor until the client goes, ctx ends or the server stops. It subscribes
// first and reads rows second, so that nothing falls between.
func (a *API) watch(ctx context.Context, s chat.Session, after int64, c client) error {
	sub := a.Bus.Subscribe(s.Key)
	defer sub.Close()
	hello, err := json.Marshal(Hello{Seq: s.Seq, Session: s})
	if err != nil {
		return err
	}
	if err := c.Send(chat.Event{Kind: "hello", Data: hello}); err != nil {
		return err
	}
	if after, err = a.durable(ctx, s.Key, after, c); err != nil {
		return err
	}
	ping, poll := time.NewTicker(pingEvery), time.NewTicker(pollEvery)
	defer ping.Stop()
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.Closing:
			return nil
		case e := <-sub.Live():
			err = c.Send(e)
		case <-sub.Woken():
			if err = drain(sub.Live(), c); err == nil {
				after, err = a.durable(ctx, s.Key, after, c)
			}
		case <-poll.C:
			after, err = a.durable(ctx, s.Key, after, c)
		case <-ping.C:
			err = c.Ping()
		}
		if err != nil {
			return err
		}
	}
}

// drain sends the live events that came before a wake, so that they do not follow the durable event that replaces them.
func drain(live <-chan chat.Event, c client) error {
	for range len(live) {
		if err := c.Send(<-live); err != nil {
			return err
		}
	}
	return nil
}

// durable sends the durable events after a cursor and returns the new cursor.
func (a *API) durable(ctx context.Context, key chat.SessionKey, after int64, c client) (int64, error) {
	for {
		events, err := a.Store.EventsAfter(ctx, key, after, eventBatch)
		if err != nil {
			return after, err
		}
		for _, e := range events {
			if e.Kind == chat.EventTurn {
				e.Data = a.linked(ctx, e.Data)
			}
			if err := c.Send(e); err != nil {
				return after, err
			}
			after = e.Seq
		}
		if len(events) < eventBatch {
			return after, nil
		}
	}
}

// linked adds the Temporal link to a turn event.
func (a *API) linked(ctx context.Context, data json.RawMessage) json.RawMessage {
	var t chat.Turn
	if json.Unmarshal(data, &t) != nil {
		return data
	}
	out, err := json.Marshal(a.withLink(ctx, t))
	if err != nil {
		return data
	}
	return out
}
