package events

import (
	"context"
	"encoding/json"

	"xbot/ingress/auth"
	"xbot/ingress/follow"
	"xbot/internal/chat"
	"xbot/internal/feed"
)

// Hello is the first event of a connection.
type Hello struct {
	Seq     int64        `json:"seq" doc:"Of the newest durable event."`
	Session chat.Session `json:"session"`
	// Gap reports that events after the cursor are missing, since they were pruned.
	Gap bool `json:"gap,omitempty" doc:"Events after the cursor are no longer stored: reload the conversation and resume from there."`
}

// client is one end of an event stream.
type client interface {
	Send(e chat.Event) error
	Ping() error
}

// from is where a stream begins: after a durable event, and as which client that carries out actions; empty: as none.
type from struct {
	after  int64
	client string
}

// watch sends a session's events after a cursor until the client goes, ctx ends, the server stops or the client may not
// watch any more. It subscribes first and reads rows second, so that no event is missed in between.
func (a *Endpoints) watch(ctx context.Context, s chat.Session, at from, c client) error {
	sub, err := a.subscribe(ctx, s)
	if err != nil {
		return err
	}
	defer sub.Close()
	gap, err := a.missing(ctx, s, at.after)
	if err != nil {
		return err
	}
	hello, err := json.Marshal(Hello{Seq: s.Seq, Session: s, Gap: gap})
	if err != nil {
		return err
	}
	if err := c.Send(chat.Event{Kind: "hello", Data: hello}); err != nil {
		return err
	}
	w := &watcher{Endpoints: a, session: s.Key, as: at.client, client: c}
	events := follow.Events{
		Session: s.Key, Store: a.Conversations, Bus: a.Bus, Sub: sub, Reader: w, Read: at.after, Closing: a.Closing, PingEvery: a.PingEvery,
	}
	if err := events.Rows(ctx); err != nil {
		return err
	}
	if err := w.act(ctx); err != nil {
		return err
	}
	return events.Run(ctx)
}

// missing reports whether events after a cursor were pruned. The events of a session have no gaps otherwise.
func (a *Endpoints) missing(ctx context.Context, s chat.Session, after int64) (bool, error) {
	if after >= s.Seq {
		return false, nil
	}
	next, err := a.Conversations.EventsAfter(ctx, s.Key, after, 1)
	return len(next) == 0 || next[0].Seq > after+1, err
}

// subscribe starts watching a session; of a subagent with the events of the tree that it is part of.
func (a *Endpoints) subscribe(ctx context.Context, s chat.Session) (*feed.Subscription, error) {
	if s.ChatType != chat.ChatSubagent {
		return a.Bus.Subscribe(s.Key), nil
	}
	top, err := a.Agents.SubagentTop(ctx, s.Key)
	if err != nil {
		return nil, err
	}
	return a.Bus.SubscribeBelow(top, s.Key), nil
}

// watcher is one event stream.
type watcher struct {
	*Endpoints

	session chat.SessionKey
	as      string // id of the client among those of the user, for actions; empty: it carries out none
	settled settled
	client  client
}

// May reports whether the client may still watch: its credentials may have been revoked and the session deleted since
// the stream was opened.
func (w *watcher) May(ctx context.Context) error {
	if err := auth.Still(ctx); err != nil {
		return err
	}
	_, _, err := w.Conversations.Session(ctx, w.session)
	return err
}

// Live sends a live event, unless it is a piece of something that was sent whole.
func (w *watcher) Live(ctx context.Context, e chat.Event) error {
	if e.Kind == chat.EventAction {
		return w.act(ctx)
	}
	if w.settled.has(e) {
		return nil
	}
	return w.client.Send(e)
}

// act sends the client the actions to carry out, if it carries any out. Only its user gets them: an administrator who reads along does not.
func (w *watcher) act(ctx context.Context) error {
	if w.as == "" {
		return nil
	}
	actions, err := w.ClientActions.SendClientActions(ctx, w.session, auth.User(ctx).ID, w.as)
	if err != nil {
		return err
	}
	for _, a := range actions {
		data, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if err := w.client.Send(chat.Event{Kind: chat.EventAction, Data: data}); err != nil {
			return err
		}
	}
	return nil
}

// Durable sends a durable event.
func (w *watcher) Durable(ctx context.Context, e chat.Event) error {
	w.settled.note(e)
	if e.Kind == chat.EventTurn {
		e.Data = w.linked(ctx, e.Data)
	}
	return w.client.Send(e)
}

// CaughtUp does nothing: the watcher gets live events without it.
func (w *watcher) CaughtUp(context.Context) error { return nil }

// Ping shows the client that the stream is open.
func (w *watcher) Ping(context.Context) error { return w.client.Ping() }

// linked adds the Temporal link to a turn event.
func (a *Endpoints) linked(ctx context.Context, data json.RawMessage) json.RawMessage {
	var t chat.Turn
	if json.Unmarshal(data, &t) != nil {
		return data
	}
	out, err := json.Marshal(a.WithLink(ctx, t))
	if err != nil {
		return data
	}
	return out
}
