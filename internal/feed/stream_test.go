package feed_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/feed"
)

// listener takes the pieces of a stream and puts them together as a client does.
type listener struct {
	t               *testing.T
	sub             *feed.Subscription
	text, reasoning string
	tools           []string
	calls           []chat.ToolCall // as their pieces tell them
}

func listen(t *testing.T, b *feed.Bus) *listener {
	return &listener{t: t, sub: watch(t, b, key)}
}

// pieces takes the pieces that came, and fails if one does not follow the one before.
func (l *listener) pieces() int {
	l.t.Helper()
	events := received(l.sub)
	for _, e := range events {
		d := decode[chat.Delta](l.t, e)
		require.Equal(l.t, len(l.text), d.Offset)
		require.Equal(l.t, len(l.reasoning), d.ReasoningOffset)
		l.text, l.reasoning = l.text+d.Text, l.reasoning+d.Reasoning
		if d.ToolName != "" {
			l.argue(d)
		}
	}
	return len(events)
}

func (l *listener) argue(d chat.Delta) {
	l.t.Helper()
	i := slices.IndexFunc(l.calls, func(c chat.ToolCall) bool { return c.ID == d.Call })
	if i < 0 {
		i = len(l.calls)
		l.tools, l.calls = append(l.tools, d.ToolName), append(l.calls, chat.ToolCall{ID: d.Call, Name: d.ToolName})
	}
	require.Equal(l.t, l.calls[i].Name, d.ToolName)
	require.Equal(l.t, len(l.calls[i].Arguments), d.ArgumentsOffset)
	l.calls[i].Arguments += d.Arguments
}

// pass lets time go by in the bubble of a test.
func pass(d time.Duration) { <-time.After(d) }

func TestStream_SendsTheFirstPieceAtOnceAndLaterOnesAtAPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus()
		l := listen(t, b)
		s := b.NewStream(key, "t", 0, 1)
		s.Text("first")
		require.Equal(t, 1, l.pieces(), "the first piece does not wait")
		sent := 0
		for range 1000 {
			pass(time.Millisecond)
			s.Text("x")
			synctest.Wait()
			sent += l.pieces()
		}
		require.InDelta(t, 30, sent, 6, "about one piece each 30 to 50 ms")
		s.Close()
		l.pieces()
		require.Equal(t, "first"+strings.Repeat("x", 1000), l.text)
	})
}

func TestStream_APieceAfterAPauseGoesOutAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus()
		l := listen(t, b)
		s := b.NewStream(key, "t", 0, 1)
		defer s.Close()
		s.Text("a")
		pass(time.Second)
		synctest.Wait()
		s.Text("b")
		require.Equal(t, 2, l.pieces())
	})
}

func TestStream_CloseSendsTheRestAndNothingFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus()
		l := listen(t, b)
		s := b.NewStream(key, "t", 0, 1)
		s.Text("a")
		s.Reasoning("why")
		s.ToolCall(0, "Read")
		s.Text("b")
		s.Close()
		require.Equal(t, 2, l.pieces())
		require.Equal(t, "ab", l.text)
		require.Equal(t, "why", l.reasoning)
		require.Equal(t, []string{"Read"}, l.tools)
		s.Text("late")
		pass(time.Second)
		synctest.Wait()
		require.Zero(t, l.pieces())
		text, reasoning := s.Written()
		require.Equal(t, "ablate", text, "what is kept of a stopped answer is all that came")
		require.Equal(t, "why", reasoning)
	})
}

func TestStream_CutsLongPiecesBetweenCharactersAndLosesNothing(t *testing.T) {
	for name, unit := range map[string]string{
		"plain text":                 "x",
		"characters of three bytes":  "字",
		"characters of four bytes":   "😀",
		"what JSON must escape":      "<\x01\"",
		"no text at all":             "\x80",
		"a character and half of it": "字\xe5",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBus()
			sub := watch(t, b, key)
			s := b.NewStream(key, "t", 0, 1)
			long := strings.Repeat(unit, 5000/len(unit))
			done := make(chan struct{})
			go func() {
				defer close(done)
				s.Text(long)
				s.Reasoning(long)
				s.Close()
			}()
			select {
			case <-done:
			case <-time.After(10 * time.Second):
				require.Fail(t, "the stream made no progress")
			}
			offset, reasoning := 0, 0
			for _, e := range received(sub) {
				d := decode[chat.Delta](t, e)
				require.Equal(t, offset, d.Offset)
				require.Equal(t, reasoning, d.ReasoningOffset)
				if strings.ToValidUTF8(long, "") == long {
					offset, reasoning = offset+len(d.Text), reasoning+len(d.Reasoning)
					require.NotContains(t, d.Text+d.Reasoning, "\uFFFD")
				} else {
					return // JSON shows such bytes as replacements, which are longer
				}
			}
			require.Equal(t, len(long), offset)
			require.Equal(t, len(long), reasoning)
		})
	}
}

func TestStream_EachPieceFitsANotification(t *testing.T) {
	b := newBus()
	session := chat.SessionKey("agent:main:web:thread:" + strings.Repeat("<", 178)) // as long as keys may be, all escaped
	sub := watch(t, b, session)
	s := b.NewStream(session, "0199e2f0-1111-7000-8000-000000000000", 199, 99999)
	s.ToolCall(7, strings.Repeat("<", 500))
	s.Arguments(7, strings.Repeat("\x03", 9000))
	s.Text(strings.Repeat("\x01", 4000))
	s.Reasoning(strings.Repeat("\x02", 4000))
	s.Arguments(7, strings.Repeat("\x03", 4000))
	s.Close()
	for _, e := range received(sub) {
		packet, err := json.Marshal(map[string]any{"o": strings.Repeat("O", 26), "s": session, "k": e.Kind, "d": e.Data})
		require.NoError(t, err)
		require.LessOrEqual(t, len(packet), 7900)
	}
}

func TestStream_PiecesOfSeveralCallsDoNotMix(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus()
		l := listen(t, b)
		s := b.NewStream(key, "t", 3, 1)
		s.ToolCall(0, "Read")
		s.ToolCall(1, "Shell")
		for _, piece := range []string{`{"n":`, "", `"字`, `"}`} {
			s.Arguments(0, piece)
			s.Arguments(1, strings.ToUpper(piece))
			pass(50 * time.Millisecond)
			synctest.Wait()
			l.pieces()
		}
		s.Arguments(2, "of a call that nobody named")
		s.Text("after them")
		s.Close()
		l.pieces()
		require.Equal(t, []chat.ToolCall{{ID: "t.3.0", Name: "Read", Arguments: `{"n":"字"}`}, {ID: "t.3.1", Name: "Shell", Arguments: `{"N":"字"}`}}, l.calls)
		require.Equal(t, "after them", l.text)
	})
}

func TestStream_ArgumentsGoOutAtASlowerPaceThanTextAndTheirNameAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus()
		l := listen(t, b)
		s := b.NewStream(key, "t", 0, 1)
		defer s.Close()
		s.ToolCall(0, "FileCreate")
		require.Equal(t, 1, l.pieces())
		require.Equal(t, []string{"FileCreate"}, l.tools)
		sent := 0
		for range 1000 {
			pass(time.Millisecond)
			s.Arguments(0, "x")
			synctest.Wait()
			sent += l.pieces()
		}
		require.InDelta(t, 10, sent, 3, "about ten pieces a second")
		pass(200 * time.Millisecond)
		synctest.Wait()
		l.pieces()
		require.Equal(t, strings.Repeat("x", 1000), l.calls[0].Arguments, "what waits for its pace goes out without more")
	})
}

func TestStream_OfLargeArgumentsOnlyTheBeginningIsPublished(t *testing.T) {
	b := newBus()
	l := listen(t, b)
	s := b.NewStream(key, "t", 0, 1)
	s.ToolCall(0, "FileCreate")
	for range 200 << 10 / 12 {
		s.Arguments(0, "字字字字")
	}
	s.Close()
	require.LessOrEqual(t, l.pieces(), 12)
	require.Equal(t, strings.Repeat("字", 8<<10/3), l.calls[0].Arguments)
}

func TestSubscribe_WhoComesLateIsToldTheArgumentsSoFarOnce(t *testing.T) {
	b := newBus()
	early := listen(t, b)
	s := b.NewStream(key, "t", 0, 1)
	s.Text("I look.")
	s.ToolCall(0, "Read")
	s.Arguments(0, `{"path":"a`)
	s.ToolCall(1, "Shell")
	s.Arguments(1, `{}`)
	s.Close()
	early.pieces()
	late := listen(t, b)
	require.Equal(t, 3, late.pieces())
	require.Equal(t, early.calls, late.calls)
	require.Equal(t, "I look.", late.text)
	require.Len(t, late.sub.Writing(), 3)

	again := b.NewStream(key, "t", 0, 2)
	again.ToolCall(0, "Glob")
	again.Close()
	now := listen(t, b)
	now.pieces()
	require.Equal(t, []chat.ToolCall{{ID: "t.0.0", Name: "Glob"}}, now.calls, "another attempt begins anew")
	b.End(key, "t")
	require.Empty(t, now.sub.Writing())
}

func BenchmarkStream(b *testing.B) {
	text := strings.Repeat("word ", 40<<10) // 200 kB
	for name, write := range map[string]func(*feed.Stream, string){
		"text":      (*feed.Stream).Text,
		"arguments": func(s *feed.Stream, piece string) { s.Arguments(0, piece) },
	} {
		b.Run(name, func(b *testing.B) {
			bus := newBus()
			for b.Loop() {
				s := bus.NewStream(key, "t", 0, 1)
				s.ToolCall(0, "FileCreate")
				for at := 0; at < len(text); at += 20 {
					write(s, text[at:min(at+20, len(text))])
				}
				s.Close()
				bus.End(key, "t")
			}
		})
	}
}
