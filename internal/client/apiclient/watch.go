package apiclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

const (
	// silence is how long a stream may bring nothing before it counts as dead; the server pings every 15 s.
	silence = 40 * time.Second
	// maxDenied is how often in a row a server may refuse the token before that is believed: a local server that
	// starts again has a new token, which is read from its file a moment later.
	maxDenied = 5
)

// Hello opens every connection to the feed of a session.
type Hello struct {
	Seq     int64        `json:"seq"` // of the newest durable event
	Session chat.Session `json:"session"`
	Gap     bool         `json:"gap"` // events after the cursor are not kept any more
}

// Update is one item of Watch. Exactly one of Hello, Event and Lost is set.
type Update struct {
	Hello *Hello
	Event *chat.Event

	Lost  error         // the connection ended, or could not be made
	Retry time.Duration // with Lost: when the next attempt starts; 0 when Watch has given up
}

// Watch follows the feed of a session from the event after the given sequence. It connects again when the connection is lost, continuing after the last
// durable event it has sent, so that none is missed and none repeated. It ends when ctx ends, when the caller stops, and, after an Update with Lost
// and no Retry, when trying again cannot help.
func (c *Client) Watch(ctx context.Context, key chat.SessionKey, after int64) iter.Seq[Update] {
	return c.WatchAs(ctx, "", key, after)
}

// WatchAs is Watch for a client that carries out actions (chat.EventAction): as is 8 to 40 letters and digits, with which, and a dot, the ids of its
// messages begin. An action may be repeated on another connection, until it is answered.
func (c *Client) WatchAs(ctx context.Context, as string, key chat.SessionKey, after int64) iter.Seq[Update] {
	return func(yield func(Update) bool) {
		w := watch{client: c, as: as, key: key, after: after, yield: yield, pause: newBackoff()}
		for ctx.Err() == nil {
			began := time.Now()
			err := w.connect(ctx)
			if time.Since(began) > maxPause { // it had been a good connection
				w.pause.Reset()
			}
			if w.done || ctx.Err() != nil || !w.again(ctx, err) {
				return
			}
		}
	}
}

type watch struct {
	client *Client
	as     string
	key    chat.SessionKey
	after  int64
	yield  func(Update) bool
	done   bool // the caller has stopped
	pause  *backoff.ExponentialBackOff
	denied int
}

// again reports a lost connection and waits; it returns false when there is no use in another one.
func (w *watch) again(ctx context.Context, err error) bool {
	if fault.Is(err, fault.Denied) {
		w.denied++
	} else {
		w.denied = 0
	}
	if !passes(err) && !fault.Is(err, fault.Internal) && (w.denied == 0 || w.denied >= maxDenied) {
		w.notify(Update{Lost: err})
		return false
	}
	wait := max(w.pause.NextBackOff(), fault.After(err))
	return w.notify(Update{Lost: err, Retry: wait}) && sleep(ctx, wait) == nil
}

func (w *watch) notify(u Update) bool {
	w.done = w.done || !w.yield(u)
	return !w.done
}

// connect opens the stream and passes on its events until it ends; the error is the reason.
func (w *watch) connect(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(silence, func() { cancel(errSilent) })
	defer watchdog.Stop()

	from := query{"after": fmt.Sprint(w.after)}
	if w.as != "" {
		from["client"] = w.as
	}
	response, err := w.client.send(ctx, http.MethodGet, path("/api/sessions/%s/events", w.key), from, "", nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	stream := newFrames(response.Body, func() { watchdog.Reset(silence) })
	for {
		f, err := stream.next()
		if err != nil {
			return lost(ctx, err)
		}
		update, err := w.read(f)
		if err != nil {
			return err
		}
		if update != nil && !w.notify(*update) {
			return nil
		}
	}
}

var errSilent = fault.Errorf(fault.Unavailable, "the server has been silent for %s", silence)

func lost(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, io.EOF):
		return fault.Errorf(fault.Unavailable, "the server closed the connection")
	default:
		return fault.Errorf(fault.Unavailable, "the connection to the server was lost: %w", err)
	}
}

// read turns a frame into an update; nil for a durable event that was passed on before.
func (w *watch) read(f frame) (*Update, error) {
	if f.event == "hello" {
		hello := new(Hello)
		if err := json.Unmarshal(f.data, hello); err != nil {
			return nil, fault.Errorf(fault.Internal, "read the greeting of the server: %w", err)
		}
		return &Update{Hello: hello}, nil
	}
	if !json.Valid(f.data) {
		return nil, fault.Errorf(fault.Internal, "event %d of the server is not JSON", f.id)
	}
	if f.id > 0 && f.id <= w.after {
		return nil, nil
	}
	w.after = max(w.after, f.id)
	return &Update{Event: &chat.Event{Seq: f.id, Kind: chat.EventKind(f.event), Data: f.data}}, nil
}
