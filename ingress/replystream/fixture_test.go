package replystream_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/ingress/replystream"
	"xbot/internal/chat"
	"xbot/internal/feed"
	"xbot/internal/i18n"
	"xbot/internal/store"
)

const key = ingresstest.Key

// bundle is a database with one person, and a source of answers over it.
type bundle struct {
	*ingresstest.Bundle
	bus     *feed.Bus
	source  *replystream.Source
	closing chan struct{}
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Bundle: ingresstest.New(t), bus: feed.New(slog.New(slog.DiscardHandler)), closing: make(chan struct{})}
	b.Store = store.New(b.Pool, store.Options{Feed: b.bus})
	b.source = &replystream.Source{Answers: b.Store.Answers, Conversations: b.Store.Conversations, Bus: b.bus, Closing: b.closing}
	return b
}

// accept writes a message in a mode.
func (b *bundle) accept(session chat.SessionKey, id string, mode chat.QueueMode) chat.InboxID {
	b.T.Helper()
	in := b.Inbound(session, id, "question "+id).NewRow
	in.Queue.Mode = mode
	got, err := b.Turns.Accept(b.T.Context(), in)
	require.NoError(b.T, err)
	return got.ID
}

// turn is a turn of a session that a test plays.
type turn struct {
	*bundle
	session chat.SessionKey
	id      chat.TurnID
}

func (b *bundle) claims(session chat.SessionKey, id chat.TurnID) turn {
	b.T.Helper()
	b.ClaimTurn(session, id)
	return turn{b, session, id}
}

func (t turn) step(n int) chat.Step { return chat.Step{Session: t.session, Turn: t.id, N: n} }

func (t turn) begins(n int) {
	t.T.Helper()
	_, _, done, err := t.Turns.BeginStep(t.T.Context(), t.step(n))
	require.NoError(t.T, err)
	require.False(t.T, done)
}

// writes publishes pieces of an attempt.
func (t turn) writes(n, attempt int, pieces ...string) {
	offset := 0
	for _, p := range pieces {
		t.bus.PublishDelta(t.session, chat.Delta{Turn: t.id, Step: n, Attempt: attempt, Offset: offset, Text: p})
		offset += len(p)
	}
}

// argues publishes pieces of the arguments of a call, behind a text of so many bytes.
func (t turn) argues(n, attempt, call, behind int, pieces ...string) {
	offset := 0
	for _, p := range pieces {
		t.bus.PublishDelta(t.session, chat.Delta{
			Turn: t.id, Step: n, Attempt: attempt, Offset: behind, ToolName: "Read", Call: chat.NewCallID(t.id, n, call), ArgumentsOffset: offset, Arguments: p,
		})
		offset += len(p)
	}
}

// fails gives an attempt up.
func (t turn) fails(n, attempt int) {
	t.T.Helper()
	_, err := t.Turns.CountFailure(t.T.Context(), t.step(n), func(int, i18n.Lang) (chat.Retry, bool) {
		return chat.Retry{Turn: t.id, Step: n, Attempt: attempt + 1, Failed: attempt, Max: 5, Reason: "timeout", Text: "again"}, true
	})
	require.NoError(t.T, err)
}

// says commits a step, with calls of tools.
func (t turn) says(n int, text string, tools ...string) (ids []chat.CallID) {
	t.T.Helper()
	a := chat.Answer{Text: text, Finish: "stop", Model: "demo/demo", Usage: chat.Usage{PromptTokens: 10, CachedTokens: 4, CompletionTokens: 3}}
	for i, name := range tools {
		a.Finish = "tool_calls"
		ids = append(ids, chat.NewCallID(t.id, n, i))
		a.Calls = append(a.Calls, chat.ToolCall{ID: ids[i], Name: name, Class: chat.ClassRead, Arguments: `{"a":1}`})
	}
	_, err := t.Turns.CommitStep(t.T.Context(), t.step(n), a)
	require.NoError(t.T, err)
	return ids
}

func (t turn) calls(id chat.CallID, result string) {
	t.T.Helper()
	call, err := t.Calls.Call(t.T.Context(), id)
	require.NoError(t.T, err)
	began, err := t.Calls.BeginCall(t.T.Context(), call)
	require.NoError(t.T, err)
	require.True(t.T, began)
	require.NoError(t.T, t.Calls.FinishCall(t.T.Context(), id, chat.ToolResult{Content: result}))
}

func (t turn) ends(state chat.TurnState, say i18n.ID) {
	t.T.Helper()
	_, err := t.Turns.FinishTurn(t.T.Context(), t.session, t.id, state, say)
	require.NoError(t.T, err)
}

// reader is somebody who follows an answer.
type reader struct {
	t      *testing.T
	events chan replystream.Event
	ended  chan error
	cancel context.CancelCauseFunc
}

var errLeft = errors.New("the reader has left")

func (b *bundle) follows(q replystream.Question) *reader {
	ctx, cancel := context.WithCancelCause(b.T.Context())
	r := &reader{t: b.T, events: make(chan replystream.Event, 1000), ended: make(chan error, 1), cancel: cancel}
	b.T.Cleanup(func() { cancel(nil) })
	go func() {
		defer close(r.events)
		for e, err := range b.source.Follow(ctx, q) {
			if err != nil {
				r.ended <- err
				return
			}
			r.events <- e
		}
		r.ended <- nil
	}()
	return r
}

// next is the next event.
func (r *reader) next() replystream.Event {
	r.t.Helper()
	select {
	case e, ok := <-r.events:
		if !ok {
			require.Fail(r.t, "the events have ended", "%v", <-r.ended)
		}
		return e
	case <-time.After(ingresstest.Limit):
		require.Fail(r.t, "nothing came")
		panic("unreachable")
	}
}

// expects reads events that say these things.
func (r *reader) expects(whats ...replystream.Content) {
	r.t.Helper()
	for _, w := range whats {
		require.Equal(r.t, w, r.next().Content)
	}
}

// over reads to the end, which must come without an error.
func (r *reader) over() {
	r.t.Helper()
	require.NoError(r.t, <-r.ended)
	_, more := <-r.events
	require.False(r.t, more)
}

// view is what a client shows: whole steps, and the pieces of the one that is written.
type view struct {
	t     require.TestingT
	steps []string
	draft string
	stale bool                   // the draft is from before a cut
	calls map[chat.CallID]string // arguments, as their pieces tell them
	seqs  []int64
	last  replystream.Content
}

func (v *view) reads(e replystream.Event) {
	if e.Seq > 0 {
		if n := len(v.seqs); n > 0 {
			require.Greater(v.t, e.Seq, v.seqs[n-1], "%T came twice, or out of order", e.Content)
		}
		v.seqs = append(v.seqs, e.Seq)
	}
	v.last = e.Content
	switch w := e.Content.(type) {
	case replystream.Text:
		require.Equal(v.t, len(v.steps), w.Step)
		require.False(v.t, v.stale, "nobody said that what stands there is void")
		v.draft += w.Piece
	case replystream.Arguments:
		require.False(v.t, v.stale, "nobody said that what stands there is void")
		require.Equal(v.t, len(v.calls[w.ID]), w.Offset)
		if v.calls == nil {
			v.calls = map[chat.CallID]string{}
		}
		v.calls[w.ID] += w.Piece
	case replystream.Call:
		require.True(v.t, strings.HasPrefix(w.Arguments, v.calls[w.ID]), "%q does not begin with %q", w.Arguments, v.calls[w.ID])
	case replystream.Restart:
		v.draft, v.stale, v.calls = "", false, nil
	case replystream.Message:
		require.Equal(v.t, len(v.steps), w.Step)
		require.True(v.t, v.stale || strings.HasPrefix(w.Text, v.draft), "%q does not begin with %q", w.Text, v.draft)
		if v.stale {
			v.calls = nil
		}
		v.steps, v.draft, v.stale = append(v.steps, w.Text), "", false
	}
}

// cursor is where a client goes on.
func (v *view) cursor() int64 {
	if len(v.seqs) == 0 {
		return 0
	}
	return v.seqs[len(v.seqs)-1]
}
