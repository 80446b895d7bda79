package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"xbot/ingress/replystream"
	"xbot/ingress/sse"
)

// stream writes events to a client.
type stream struct {
	*sse.Writer
	gone bool // the client; the answer continues
}

func openStream(w http.ResponseWriter) *stream { return &stream{Writer: sse.Open(w, "no-cache")} }

// send sends an event, unless the client is gone; without a name the event has none.
func (s *stream) send(name string, v any) {
	data, err := json.Marshal(v)
	s.gone = s.gone || err != nil || s.Event(0, name, data) != nil
}

// sender writes an answer in the form of one API.
type sender interface {
	// piece sends the next piece of the text.
	piece(text string)
	// end sends what follows the last piece.
	end()
	// fail reports that the output so far is not the answer.
	fail(e *Error)
}

// follow sends an answer while it is written, until its end or until the client is gone.
func (s *stream) follow(ctx context.Context, asked AcceptedMessage, b Backend, refusals Refusals, t *text, to sender) {
	for e, err := range b.Follow(ctx, asked) {
		piece, over := "", false
		if _, ping := e.Content.(replystream.Ping); ping {
			s.gone = s.gone || s.Comment("ping") != nil
		} else if err == nil {
			piece, over, err = t.take(e.Content)
		}
		if err == nil && piece != "" {
			to.piece(piece)
		}
		switch {
		case ctx.Err() != nil || s.gone:
			return
		case err != nil:
			to.fail(asError(err, refusals))
			return
		case over:
			if to.end(); !s.gone {
				b.Delivered(ctx, asked)
			}
			return
		}
	}
}

// deliver waits for the end of an answer and writes the body that is made of its text. A client that goes away ends the wait alone.
func deliver(ctx context.Context, w http.ResponseWriter, asked AcceptedMessage, b Backend, refusals Refusals, body func(*text) any) {
	t, err := all(ctx, textOf(asked), b.Follow(ctx, asked))
	if ctx.Err() != nil {
		return // the client is gone
	}
	control := http.NewResponseController(w)
	if control.SetWriteDeadline(time.Now().Add(sendTimeout)) != nil {
		return // the connection is gone
	}
	if err != nil {
		Refuse(w, err, refusals)
		return
	}
	writeJSON(w, http.StatusOK, body(t))
	if control.Flush() == nil && ctx.Err() == nil {
		b.Delivered(ctx, asked)
	}
}
