package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Question is an event in the form that a handler gets.
type Question struct {
	Session chat.SessionKey
	Payload Payload
	Body    []byte // Payload as JSON
}

// Asker asks handlers of one kind. It ends with its context. An error is a failure of the handler, as a sentence.
type Asker interface {
	Ask(ctx context.Context, h Handler, q Question) (Answer, error)
}

// Dispatcher asks handlers. It is safe for concurrent use.
type Dispatcher struct {
	Kinds map[Kind]Asker
	Log   *slog.Logger

	apart sync.WaitGroup // handlers that are not waited for
	many  atomic.Int32   // number of running ones
}

// Wait waits for the asynchronous handlers.
func (d *Dispatcher) Wait() { d.apart.Wait() }

// Ask calls the handlers of a set for an event, for at most MaxTime, and merges their answers. Handlers run concurrently; but if they may change the
// arguments of a call, those of projects run first, so that the administrator's see the final arguments. A handler that checked other arguments is
// called once more, and further changes by it are ignored. After a crash an event may be sent again with the same id. The error is that of the
// context.
func (d *Dispatcher) Ask(ctx context.Context, s Set, p Payload) (Outcome, error) {
	if f := s.broken(p.Event); f != nil {
		return Outcome{Decision: Deny, Reason: "the hooks are configured wrongly, so nothing can be permitted: " + f.String()}, nil
	}
	bounded, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	a := asking{judged: map[string]string{}}
	for _, round := range s.rounds(p.Event) {
		if refused := d.round(bounded, &a, round.For(p), p); refused != "" {
			return Outcome{Decision: Deny, Reason: refused}, nil
		}
		if ctx.Err() != nil {
			return Outcome{}, context.Cause(ctx)
		}
		if changed := Combine(p.Event, a.answers).Updated; changed != nil {
			p.ToolInput = changed
		}
	}
	if refused := d.again(bounded, &a, s, p); refused != "" {
		return Outcome{Decision: Deny, Reason: refused}, nil
	}
	if ctx.Err() != nil {
		return Outcome{}, context.Cause(ctx)
	}
	out := Combine(p.Event, a.answers)
	out.Notes = a.notes
	for _, note := range out.Notes {
		d.Log.Warn("a hook failed", "event", p.Event, "session", p.Session, "id", p.ID, "error", note)
	}
	return out, nil
}

// asking is the state of an event.
type asking struct {
	answers []Answer
	notes   []string
	asked   int
	judged  map[string]string // the input that each handler was called with, by its name
}

// round calls handlers concurrently. It returns a reason to refuse the event if there are too many.
func (d *Dispatcher) round(ctx context.Context, a *asking, handlers []Handler, p Payload) (refused string) {
	if a.asked += len(handlers); a.asked > MaxHandlers {
		note := fmt.Sprintf("%d hooks are meant for this %s; at most %d are asked", a.asked, p.Event, MaxHandlers)
		if p.Event.Closed() {
			return note
		}
		handlers, a.notes = handlers[:MaxHandlers], append(a.notes, note)
	}
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Sprintf("the payload of %s cannot be encoded: %s", p.Event, err)
	}
	for _, h := range handlers {
		a.judged[h.name()] = string(p.ToolInput)
	}
	answers, failed := d.all(ctx, handlers, Question{Session: chat.SessionKey(p.Session), Payload: p, Body: body})
	a.answers, a.notes = append(a.answers, answers...), append(a.notes, failed...)
	return ""
}

// again calls the handlers that checked other arguments, or did not match the changed ones, except the handler that changed them. Handlers of a
// project are not called after changes by the administrator's. The event gets a new id, so that a handler that caches answers by id does not reuse
// one.
func (d *Dispatcher) again(ctx context.Context, a *asking, s Set, p Payload) (refused string) {
	changed := Combine(p.Event, a.answers)
	if changed.Updated == nil {
		return ""
	}
	byHome := slices.ContainsFunc(s.handlers, func(h Handler) bool { return h.name() == changed.UpdatedBy && h.Layer == LayerHome })
	others := slices.DeleteFunc(s.For(p), func(h Handler) bool {
		return h.Async || byHome && h.Layer != LayerHome || h.name() == changed.UpdatedBy || a.judged[h.name()] == string(p.ToolInput)
	})
	if len(others) == 0 {
		return ""
	}
	before := len(a.answers)
	a.asked, p.ID = 0, p.ID+"/changed"
	refused = d.round(ctx, a, others, p)
	for i := range a.answers[before:] {
		a.answers[before+i].Updated = nil
	}
	return refused
}

// all asks the handlers at the same time and returns their answers in their order, and their failures.
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
		answers[i].from = handlers[i].name()
		if err == nil {
			continue
		}
		note := fmt.Sprintf("%s failed: %s", handlers[i].name(), err)
		notes = append(notes, note)
		if handlers[i].Event.Closed() {
			answers[i] = Answer{Decision: handlers[i].OnError, Reason: cut("the hook "+note, MaxReason)}
		}
	}
	return answers, notes
}

// maxAside limits the asynchronous handlers that one process runs at once; more are skipped.
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
