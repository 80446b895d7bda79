package replystream_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/ingress/replystream"
	"xbot/internal/chat"
	"xbot/internal/turn/session"
)

// deed is something that happens on the way to an answer.
type deed func()

// plan draws what happens after a message was accepted, and what the answer is.
func (b *bundle) plan(rt *rapid.T, session chat.SessionKey, n int) (deeds []deed, steps []string) {
	id := chat.TurnID(fmt.Sprintf("turn-%d", n))
	do := func(d deed) { deeds = append(deeds, d) }
	t := turn{b, session, id}
	if rapid.Bool().Draw(rt, "released") {
		gone := chat.TurnID(fmt.Sprintf("gone-%d", n))
		do(func() { b.ClaimTurn(session, gone) })
		do(func() {
			_, err := b.Turns.SettleTurn(b.T.Context(), gone)
			require.NoError(b.T, err)
		})
	}
	do(func() { b.ClaimTurn(session, id) })
	last := rapid.IntRange(0, 2).Draw(rt, "steps")
	for step := range last + 1 {
		steps = append(steps, b.planStep(rt, t, step, step < last, do))
	}
	do(func() { t.ends(chat.TurnDone, "") })
	return deeds, steps
}

func (b *bundle) planStep(rt *rapid.T, t turn, step int, tools bool, do func(deed)) string {
	do(func() { t.begins(step) })
	attempts := rapid.IntRange(1, 3).Draw(rt, "attempts")
	for attempt := 1; attempt < attempts; attempt++ {
		wrong := fmt.Sprintf("attempt %d of step %d goes wrong", attempt, step)
		b.planWrites(rt, t, step, attempt, wrong, do)
		do(func() { t.argues(step, attempt, 0, len(wrong), `{"wrong`) })
		if rapid.Bool().Draw(rt, "seen to fail") { // else its worker died
			do(func() { t.fails(step, attempt) })
		}
	}
	text := fmt.Sprintf("what is said in step %d is 字字字 %s", step, strings.Repeat("x", rapid.IntRange(0, 30).Draw(rt, "length")))
	b.planWrites(rt, t, step, attempts, text, do)
	var calls []chat.CallID
	if tools {
		b.planArguments(rt, t, step, attempts, len(text), do)
	}
	do(func() {
		if tools {
			calls = t.says(step, text, "Read", "Shell")
			return
		}
		t.says(step, text)
	})
	if tools {
		do(func() { t.calls(calls[1], "second") })
		do(func() { t.calls(calls[0], "first") })
	}
	return text
}

// planWrites draws pieces of a text, some of which are lost on the way.
func (b *bundle) planWrites(rt *rapid.T, t turn, step, attempt int, text string, do func(deed)) {
	offset := 0
	for _, word := range strings.SplitAfter(text, " ") {
		at := offset
		offset += len(word)
		if rapid.IntRange(0, 9).Draw(rt, "lost") == 0 {
			continue
		}
		do(func() {
			b.bus.PublishDelta(t.session, chat.Delta{Turn: t.id, Step: step, Attempt: attempt, Offset: at, Text: word})
		})
	}
}

// planArguments draws pieces of the arguments of two calls, in turn, some of which are lost on the way.
func (b *bundle) planArguments(rt *rapid.T, t turn, step, attempt, behind int, do func(deed)) {
	for at, piece := range []string{`{"a`, `":`, `1}`} {
		offset := min(3*at, 5)
		for call := range 2 {
			if rapid.IntRange(0, 9).Draw(rt, "lost") == 0 {
				continue
			}
			do(func() {
				b.bus.PublishDelta(t.session, chat.Delta{
					Turn: t.id, Step: step, Attempt: attempt, Offset: behind, ToolName: "Read", Call: chat.NewCallID(t.id, step, call), ArgumentsOffset: offset, Arguments: piece,
				})
			})
		}
	}
}

var errCut = errors.New("the connection was cut")

// client follows an answer over a connection that is cut now and then.
type client struct {
	*bundle
	q    replystream.Question
	view *view
	conn *reader // nil: it has not come yet
}

func (c *client) connects() {
	c.q.After = c.view.cursor()
	c.conn = c.follows(c.q)
}

// isCut loses the connection after the client has read some of what there is, and connects again.
func (c *client) isCut(reads int) {
	if _, over := c.view.last.(replystream.Done); c.conn == nil || over {
		return
	}
	for range reads {
		select {
		case e, more := <-c.conn.events:
			if more {
				c.view.reads(e)
			}
		default:
		}
	}
	if _, over := c.view.last.(replystream.Done); over {
		return
	}
	c.conn.cancel(errCut)
	if err := <-c.conn.ended; err != nil { // else all of the answer was there
		require.ErrorIs(c.view.t, err, errCut)
	}
	c.view.stale = c.view.draft != "" || len(c.view.calls) > 0
	if c.view.cursor() == 0 { // it begins anew
		c.view.draft, c.view.stale, c.view.calls = "", false, nil
	}
	c.connects()
}

// readsOn reads to the end.
func (c *client) readsOn() {
	if c.conn == nil {
		c.connects()
	}
	for e := range c.conn.events {
		c.view.reads(e)
	}
}

func TestFollow_WhoeverReadsFromAnyPointAndComesAgainAfterAnyCutSeesTheSameAnswerOnce(t *testing.T) {
	b := setup(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		key := session.Thread(session.DefaultAgent, "api", fmt.Sprint("s", n))
		b.MakeSession(key)
		c := &client{bundle: b, q: replystream.Question{Session: key, Message: b.accept(key, fmt.Sprint("m", n), "")}, view: &view{t: rt}}
		deeds, want := b.plan(rt, key, n)
		comes := rapid.IntRange(0, len(deeds)).Draw(rt, "comes after")
		cuts := rapid.SliceOfNDistinct(rapid.IntRange(0, len(deeds)), 0, min(4, len(deeds)), rapid.ID[int]).Draw(rt, "cuts")
		reads := rapid.IntRange(0, 12).Draw(rt, "reads before a cut")
		for i, d := range deeds {
			if i == comes {
				c.connects()
			}
			if slices.Contains(cuts, i) {
				c.isCut(reads)
			}
			d()
		}
		c.readsOn()
		require.Equal(rt, want, c.view.steps)
		require.IsType(rt, replystream.Done{}, c.view.last)
	})
}
