// Package webhooks answers other programs that call a trigger: POST /hooks/<id>, without a login, and GET /hooks/<id>/ping. A call
// is accepted, with status 202, when its row and the message to the conversation are committed, and not before. Neither secrets
// nor bodies are logged.
package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"xbot/internal/automation/trigger"
	"xbot/internal/automation/trigger/triggerstore"
	"xbot/internal/fault"
	"xbot/internal/host/outage"
	"xbot/internal/secret"
)

const (
	// maxAtOnce bounds the calls that are worked on at once in a process, and with it the memory of their bodies.
	maxAtOnce = 64
	// bodyTime is how long a caller may take to send its body.
	bodyTime = 15 * time.Second
)

// Store reads triggers and commits calls.
type Store interface {
	Trigger(ctx context.Context, id string) (triggerstore.OwnedTrigger, error)
	CallTrigger(ctx context.Context, d triggerstore.Delivery) (triggerstore.Called, error)
	TriggerRefused(ctx context.Context, id, why string) error
}

// Hooks is the handler of /hooks/.
type Hooks struct {
	Store Store
	Key   secret.Sealer
	Log   *slog.Logger
	Now   func() time.Time // nil: time.Now
	// Outages counts the calls that are refused while Postgres is away; nil: each is logged.
	Outages *outage.Watch

	slots chan struct{}
	mux   *http.ServeMux
}

// Handler returns the routes.
func (h *Hooks) Handler() http.Handler {
	h.slots = make(chan struct{}, maxAtOnce)
	h.mux = http.NewServeMux()
	h.mux.HandleFunc("POST "+trigger.Prefix+"{id}", h.call)
	h.mux.HandleFunc("GET "+trigger.Prefix+"{id}/ping", h.ping)
	return h.mux
}

// ping answers whether a trigger exists. Only a caller who knows its id can ask.
func (h *Hooks) ping(w http.ResponseWriter, r *http.Request) {
	if _, err := h.Store.Trigger(r.Context(), r.PathValue("id")); err != nil {
		h.refuse(w, err)
		return
	}
	reply(w, http.StatusOK, Answer{Status: "ok"})
}

// Answer is the response to a caller.
type Answer struct {
	Status   string `json:"status"` // accepted, duplicate, ok
	Delivery string `json:"delivery,omitempty"`
	Error    string `json:"error,omitempty"`
}

func (h *Hooks) call(w http.ResponseWriter, r *http.Request) {
	t, err := h.Store.Trigger(r.Context(), r.PathValue("id"))
	if err != nil {
		h.refuse(w, err)
		return
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	default:
		h.refuse(w, fault.Limited(time.Second, "too many calls at once"))
		return
	}
	answer, err := h.accept(w, r, t)
	if err != nil {
		h.note(r.Context(), t, err)
		h.refuse(w, err)
		return
	}
	status := http.StatusAccepted
	if answer.Status == "duplicate" {
		status = http.StatusOK
	}
	reply(w, status, answer)
}

// typeError is a body that is no text.
type typeError struct{ error }

func (e typeError) Unwrap() error { return e.error }

func (h *Hooks) accept(w http.ResponseWriter, r *http.Request, t triggerstore.OwnedTrigger) (Answer, error) {
	if err := trigger.CheckType(r.Header.Get("Content-Type"), r.Header.Get("Content-Encoding")); err != nil {
		return Answer{}, typeError{err}
	}
	body, err := read(w, r)
	if err != nil {
		return Answer{}, err
	}
	plain, err := h.Key.Open(t.Secret)
	if err != nil {
		h.Log.Error("the secret of a trigger cannot be read", "trigger", t.ID, "error", err)
		return Answer{}, fault.Errorf(fault.Denied, "the secret of this trigger cannot be read; its owner has to make a new one")
	}
	call := trigger.Call{Source: t.Source, Header: r.Header, Body: body, At: h.now()}
	verified, err := call.Verify(string(plain))
	if err != nil {
		return Answer{}, err
	}
	text, note := trigger.Text(t.Trigger, call, verified)
	fired, err := h.Store.CallTrigger(r.Context(), triggerstore.Delivery{
		Trigger: t.ID, Key: verified.Key, Event: verified.Event, Bytes: len(body), Text: text, Note: note,
	})
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Status: "accepted", Delivery: verified.Key}
	if fired.Duplicate {
		answer.Status = "duplicate"
		return answer, nil
	}
	h.Log.Info("trigger called", "trigger", t.ID, "session", fired.Session, "event", verified.Event, "bytes", len(body))
	return answer, nil
}

// read reads a body of at most MaxBody bytes.
func read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)) // the server's own deadline holds otherwise
	if r.ContentLength > trigger.MaxBody {
		return nil, tooLarge()
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, trigger.MaxBody))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, tooLarge()
	}
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the body did not arrive")
	}
	return body, nil
}

func tooLarge() error {
	return fault.Errorf(fault.TooLarge, "the body is larger than %d bytes", trigger.MaxBody)
}

func (h *Hooks) now() time.Time {
	if h.Now == nil {
		return time.Now()
	}
	return h.Now()
}

// note notifies the owner of the trigger, and only the owner, why a call was refused.
func (h *Hooks) note(ctx context.Context, t triggerstore.OwnedTrigger, why error) {
	switch fault.KindOf(why) {
	case fault.Unavailable, fault.Internal:
		if !h.Outages.Refused(why) {
			h.Log.Warn("a call of a trigger was not accepted for now", "trigger", t.ID, "error", why)
		}
		return
	case fault.NotFound:
		return
	}
	if err := h.Store.TriggerRefused(context.WithoutCancel(ctx), t.ID, why.Error()); err != nil {
		h.Log.Warn("a refused call was not noted", "trigger", t.ID, "error", err)
	}
}

// refuse is the border where the kinds of faults become statuses.
func (h *Hooks) refuse(w http.ResponseWriter, err error) {
	status, said := http.StatusInternalServerError, err.Error()
	switch fault.KindOf(err) {
	case fault.Invalid:
		status = http.StatusBadRequest
	case fault.Denied:
		status = http.StatusForbidden
	case fault.NotFound:
		status = http.StatusNotFound
	case fault.Conflict:
		status = http.StatusConflict
	case fault.RateLimited:
		status = http.StatusTooManyRequests
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(fault.After(err).Seconds()))))
	case fault.TooLarge:
		status = http.StatusRequestEntityTooLarge
	case fault.Unavailable:
		status, said = http.StatusServiceUnavailable, "not now"
		w.Header().Set("Retry-After", "5")
	default:
		said = "something went wrong"
	}
	if _, ok := errors.AsType[typeError](err); ok {
		status = http.StatusUnsupportedMediaType
	}
	reply(w, status, Answer{Status: "refused", Error: said})
}

func reply(w http.ResponseWriter, status int, a Answer) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(a) // the client is gone if this fails
}
