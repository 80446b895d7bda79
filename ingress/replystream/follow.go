// Package replystream follows the answer to one accepted message: it makes the events that a program waiting for an answer needs from the
// feed of the session. It knows no protocol. Following the same message again, in any process, yields the same events.
package replystream

import (
	"context"
	"errors"
	"iter"
	"time"

	"xbot/ingress/follow"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/feed"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
)

const (
	// watchPoll is the interval at which the events of a watched conversation are polled: most of the time it has none.
	watchPoll = 10 * time.Second
	// rowBatch bounds the messages read at once where events are not kept any more.
	rowBatch = 100
)

// Answers finds answers to messages.
type Answers interface {
	Fate(ctx context.Context, key chat.SessionKey, id chat.InboxID) (conversation.Fate, error)
	FirstEvent(ctx context.Context, key chat.SessionKey, id chat.InboxID) (int64, error)
	Place(ctx context.Context, key chat.SessionKey, id chat.InboxID) (conversation.Place, error)
	TurnAnswer(ctx context.Context, key chat.SessionKey, turn chat.TurnID) (conversation.TurnAnswer, error)
	TurnBegan(ctx context.Context, key chat.SessionKey, seq int64) (int64, error)
}

// Conversations reads the events and messages of a conversation.
type Conversations interface {
	EventsAfter(ctx context.Context, key chat.SessionKey, after int64, limit int) ([]chat.Event, error)
	Messages(ctx context.Context, key chat.SessionKey, page conversation.Page) (conversation.Transcript, error)
}

// Access checks whether the reader may still read: its credential may have been revoked. It is called again and again.
type Access interface {
	Still(ctx context.Context) error
}

// Source follows answers. It is safe for concurrent use.
type Source struct {
	Answers       Answers
	Conversations Conversations
	Bus           *feed.Bus
	Closing       <-chan struct{} // closed when the server stops; nil: it never does
	PingEvery     time.Duration   // 0: 15 s
}

// Question names the answer to follow, and the start.
type Question struct {
	Session chat.SessionKey
	Message chat.InboxID
	After   int64     // cursor: the Seq of the last durable event that the reader knows; 0, or beyond the newest one: none
	First   bool      // where After is 0, Watch begins with the first event of the conversation
	Lang    i18n.Lang // of sentences that no row has; empty: English
	Access  Access    // nil: no check
	Beside  bool      // messages outside the answer are yielded, too, and who answers from now on
	Now     bool      // the events end with those that exist; no live event is yielded
	newest  *int64    // of the events when the question was asked; nil: not noted (FromNow)
}

// ErrClosing ends the events when the server stops: the answer continues, and a client that asks again in a moment continues with it.
var ErrClosing error = fault.Later(fault.Unavailable, time.Second, "the server stops; the answer goes on, ask again in a moment")

// errOver ends the loop where the answer has ended, errGone where the reader has.
var (
	errOver = errors.New("the answer has ended")
	errGone = errors.New("the reader is gone")
)

// Follow yields the events of the answer in order and ends after Done or Failure. An error comes last: ErrClosing, the cause of ctx, the
// error of Access, or NotFound if there is no such message. It subscribes before it reads rows, so that no event is missed in between.
func (s *Source) Follow(ctx context.Context, q Question) iter.Seq2[Event, error] {
	return s.events(ctx, q, false)
}

// events yields those of one answer, or of the whole conversation.
func (s *Source) events(ctx context.Context, q Question, whole bool) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		sub := s.Bus.Subscribe(q.Session)
		defer sub.Close()
		f := &follower{Source: s, q: q, out: reader(yield), whole: whole}
		f.events = &follow.Events{
			Session: q.Session, Store: s.Conversations, Bus: s.Bus, Sub: sub, Reader: f, Closing: s.Closing, Closed: ErrClosing, PingEvery: s.PingEvery,
		}
		f.leave()
		f.void = q.After > 0
		begin := f.begin
		if whole {
			begin, f.events.PollEvery = f.open, watchPoll
		}
		err := begin(ctx)
		if err == nil && q.Now {
			return
		}
		if err == nil {
			err = f.events.Run(ctx)
		}
		switch {
		case errors.Is(err, errOver), errors.Is(err, errGone):
			return
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		}
		yield(Event{}, err)
	}
}

// begin yields the events that exist.
func (f *follower) begin(ctx context.Context) error {
	if _, err := f.Answers.Fate(ctx, f.q.Session, f.q.Message); err != nil {
		return err
	}
	if err := f.bound(ctx); err != nil {
		return err
	}
	if f.q.After == 0 {
		if err := f.emit(0, Accepted{f.q.Message}); err != nil {
			return err
		}
	}
	first, err := f.Answers.FirstEvent(ctx, f.q.Session, f.q.Message)
	if fault.Is(err, fault.NotFound) {
		return f.fromRows(ctx)
	}
	if err != nil {
		return err
	}
	f.events.Read = first - 1
	return f.events.Rows(ctx)
}

// bound forgets a cursor beyond what there is: the database is older than it.
func (f *follower) bound(ctx context.Context) error {
	if f.q.After == 0 {
		return nil
	}
	now, err := f.Conversations.Messages(ctx, f.q.Session, conversation.Page{Limit: 1})
	if err == nil && f.q.After > now.Seq {
		f.q.After = 0
	}
	return err
}

// May reports whether the reader may still read, and whether there is something to read: the session may have been deleted.
func (f *follower) May(ctx context.Context) error {
	if f.q.Access != nil {
		if err := f.q.Access.Still(ctx); err != nil {
			return err
		}
	}
	if f.whole {
		return nil
	}
	_, err := f.Answers.Fate(ctx, f.q.Session, f.q.Message)
	return err
}

// CaughtUp yields what the turn was writing as it took the message: the pieces were passed over while they belonged to another one.
func (f *follower) CaughtUp(ctx context.Context) error {
	if !f.joins {
		return nil
	}
	f.joins = false
	if f.q.Now {
		return nil
	}
	for _, d := range f.events.Sub.Writing() {
		if err := f.delta(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// Ping shows the reader of a silent answer that the stream is open.
func (f *follower) Ping(context.Context) error { return f.emit(0, Ping{}) }

// reader takes events until it is gone.
type reader func(Event, error) bool

func (r reader) takes(e Event) bool { return r(e, nil) }

// emit yields an event unless the reader has it.
func (f *follower) emit(seq int64, what Content) error {
	if seq > 0 && seq <= f.q.After {
		return nil
	}
	if !f.out.takes(Event{Seq: seq, Content: what}) {
		return errGone
	}
	return nil
}
