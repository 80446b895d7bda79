package openai

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"strings"

	"xbot/ingress/replystream"
	"xbot/internal/chat"
)

// between separates the texts of two steps of the model.
const between = "\n\n"

// text makes one text of an answer: the texts of the model in its steps, one behind the other. Tools are not part of it.
type text struct {
	whole  strings.Builder    // the output so far
	step   string             // its part from the step that is being written
	calls  []replystream.Call // of tools of the client, with which it ends
	formed bool               // the last text alone counts, in its form
	finish string
	usage  chat.Usage
}

// textOf returns the text of an answer before its first piece.
func textOf(a AcceptedMessage) *text { return &text{formed: a.Client.Format != nil} }

// errBroken ends a stream of which a piece turned out to be void after it was sent: a program must never take it for the answer.
var errBroken = &Error{
	Status: http.StatusInternalServerError, Code: "stream_restarted",
	Message: "the model had to begin this part of its answer anew after some of it was sent; what was received is void. The answer goes on: send the request again with the same Idempotency-Key to get the whole of it",
}

// take returns the next piece of the answer, which may be empty; over reports that it was the last one.
func (t *text) take(what replystream.Content) (piece string, over bool, err error) {
	if t.formed {
		what = t.inForm(what)
	}
	switch w := what.(type) {
	case replystream.Text:
		return t.give(w.Piece), false, nil
	case replystream.Restart:
		if t.step != "" {
			return "", false, errBroken
		}
	case replystream.Message:
		t.calls = w.Client
		rest, fits := strings.CutPrefix(w.Text, t.step)
		if !fits {
			return "", false, errBroken
		}
		piece = t.give(rest)
		t.step = ""
		return piece, false, nil
	case replystream.Done:
		t.finish, t.usage = w.Finish, w.Usage
		if w.Finish == chat.FinishStopped {
			return "", true, &Error{Status: http.StatusConflict, Code: "stopped", Message: "somebody stopped the answer before its end; what was said so far stands in the conversation", Final: true}
		}
		return "", true, nil
	case replystream.Failure:
		t.usage = w.Usage
		return "", true, failure(w)
	}
	return "", false, nil
}

// inForm returns an event of an answer that has a form: texts before it, and pieces of it, are no part of it.
func (t *text) inForm(what replystream.Content) replystream.Content {
	switch w := what.(type) {
	case replystream.Text, replystream.Restart:
		return replystream.Ping{}
	case replystream.Message:
		w.Text = formed(w.Text)
		if w.Calls > 0 {
			w.Text = ""
		}
		return w
	}
	return what
}

// give gives out a piece of the step that is being written.
func (t *text) give(piece string) string {
	if piece == "" {
		return ""
	}
	if t.step == "" && t.whole.Len() > 0 {
		t.step = piece
		t.whole.WriteString(between + piece)
		return between + piece
	}
	t.step += piece
	t.whole.WriteString(piece)
	return piece
}

func failure(f replystream.Failure) *Error {
	if f.Kind == replystream.Dropped && f.Outcome == replystream.OutcomeTaken {
		return &Error{Status: http.StatusConflict, Code: f.Outcome, Final: true, Message: f.Text}
	}
	if f.Kind == replystream.Dropped {
		return &Error{Status: http.StatusConflict, Code: "dropped", Final: true, Message: cmp.Or(f.Text, "the message gets no answer: "+f.Outcome)}
	}
	return &Error{
		Status: http.StatusInternalServerError, Code: "turn_" + string(f.Kind), Final: true,
		Message: cmp.Or(f.Text, "the turn ended without an answer; the conversation and the log of the server say why"),
	}
}

// finishReason returns the reason as OpenAI names it.
func (t *text) finishReason() string {
	if len(t.calls) > 0 {
		return "tool_calls"
	}
	switch t.finish {
	case "length", "content_filter":
		return t.finish
	}
	return "stop"
}

// all reads an answer to its end. Void pieces do not matter, since only whole steps count.
func all(ctx context.Context, t *text, events iter.Seq2[replystream.Event, error]) (*text, error) {
	for e, err := range events {
		if err != nil {
			return t, err
		}
		switch e.Content.(type) {
		case replystream.Text, replystream.Restart:
			continue
		}
		if _, over, err := t.take(e.Content); err != nil || over {
			return t, err
		}
	}
	return t, ctx.Err()
}
