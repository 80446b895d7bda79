package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Question is an event as a handler is told of it.
type Question struct {
	Session chat.SessionKey
	Payload Payload
	Body    []byte // Payload as JSON
}

// Asker asks handlers of one kind. It ends with its context. An error is a failure of the handler, in words.
type Asker interface {
	Ask(ctx context.Context, h Handler, q Question) (Answer, error)
}

// Dispatcher asks handlers. It is safe for concurrent use.
type Dispatcher struct {
	Kinds map[Kind]Asker
	Log   *slog.Logger

	apart sync.WaitGroup // handlers that are not waited for
	many  atomic.Int32   // how many of them run
}

// Wait waits for the asynchronous handlers.
func (d *Dispatcher) Wait() { d.apart.Wait() }

// Ask asks the handlers of a set about an event, no longer than MaxTime, and makes one outcome of their answers: all at the same
// time, but where they may change the arguments of a call those of projects first, so that the administrator's judge what is to
// run. The same event may be told again after a crash, under the same id. An error is the end of the context.
func (d *Dispatcher) Ask(ctx context.Context, s Set, p Payload) (Outcome, error) {
	if f := s.broken(p.Event); f != nil {
		return Outcome{Decision: Deny, Reason: "the hooks are configured wrongly, so nothing can be permitted: " + f.String()}, nil
	}
	bounded, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	var answers []Answer
	var notes []string
	asked := 0
	for _, round := range s.rounds(p.Event) {
		handlers := round.For(p)
		if asked += len(handlers); asked > MaxHandlers {
			note := fmt.Sprintf("%d hooks are meant for this %s; at most %d are asked", asked, p.Event, MaxHandlers)
			if p.Event.Closed() {
				return Outcome{Decision: Deny, Reason: note}, nil
			}
			handlers, notes = handlers[:MaxHandlers], append(notes, note)
		}
		body, err := json.Marshal(p)
		if err != nil {
			return Outcome{}, fault.Errorf(fault.Internal, "encode the payload of %s: %w", p.Event, err)
		}
		said, failed := d.all(bounded, handlers, Question{Session: chat.SessionKey(p.Session), Payload: p, Body: body})
		if ctx.Err() != nil {
			return Outcome{}, context.Cause(ctx)
		}
		answers, notes = append(answers, said...), append(notes, failed...)
		if changed := Combine(p.Event, said).Updated; changed != nil {
			p.ToolInput = changed
		}
	}
	out := Combine(p.Event, answers)
	out.Notes = notes
	for _, note := range out.Notes {
		d.Log.Warn("a hook failed", "event", p.Event, "session", p.Session, "id", p.ID, "error", note)
	}
	return out, nil
}

// all asks the handlers at the same time and returns what they say in their order, and what went wrong.
func (d *Dispatcher) all(ctx context.Context, handlers []Handler, q Question) (answers []Answer, notes []string) {
	answers, errs := make([]Answer, len(handlers)), make([]error, len(handlers))
	var wait sync.WaitGroup
	for i, h := range handlers {
		if h.Async {
			d.aside(ctx, h, q)
			continue
		}
		wait.Go(func() { answers[i], errs[i] = d.one(ctx, h, q) })
	}
	wait.Wait()
	for i, err := range errs {
		if err == nil {
			continue
		}
		note := fmt.Sprintf("%s, %s failed: %s", handlers[i].Source, handlers[i].Place, err)
		notes = append(notes, note)
		if handlers[i].Event.Closed() {
			answers[i] = Answer{Decision: handlers[i].OnError, Reason: cut("the hook "+note, MaxReason)}
		}
	}
	return answers, notes
}

// maxAside is how many asynchronous handlers one process runs at once; more are skipped.
const maxAside = 64

// aside runs an asynchronous handler. It is lost if the process dies.
func (d *Dispatcher) aside(ctx context.Context, h Handler, q Question) {
	if d.many.Add(1) > maxAside {
		d.many.Add(-1)
		d.Log.Warn("a hook was left out, too many run", "event", q.Payload.Event, "place", h.Place)
		return
	}
	d.apart.Go(func() {
		defer d.many.Add(-1)
		if _, err := d.one(context.WithoutCancel(ctx), h, q); err != nil {
			d.Log.Warn("a hook failed", "event", q.Payload.Event, "session", q.Session, "place", h.Place, "error", err)
		}
	})
}

func (d *Dispatcher) one(ctx context.Context, h Handler, q Question) (Answer, error) {
	asker, ok := d.Kinds[h.Kind]
	if !ok {
		return Answer{}, fault.Errorf(fault.Invalid, "this process cannot ask a %s", h.Kind)
	}
	bounded, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	answer, err := asker.Ask(bounded, h, q)
	switch {
	case err == nil || bounded.Err() == nil:
	case ctx.Err() == nil:
		err = fault.Errorf(fault.Unavailable, "it did not answer within %s", h.Timeout)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fault.Errorf(fault.Unavailable, "it did not answer within the %s that all hooks of an event have together", MaxTime)
	}
	return answer, err
}
