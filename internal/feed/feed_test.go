package feed_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/chat"
	"xbot/internal/feed"
)

const key = chat.SessionKey("agent:main:web:thread:t")

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("xbot/internal/testing/pgtest.startWatchdog.func1")) // the server of the tests outlives them
}

func newBus() *feed.Bus { return feed.New(slog.New(slog.DiscardHandler)) }

func delta(turn chat.TurnID, step, attempt, offset int, text string) chat.Delta {
	return chat.Delta{Turn: turn, Step: step, Attempt: attempt, Offset: offset, Text: text}
}

// received takes what is on a subscription now.
func received(s *feed.Subscription) []chat.Event {
	var out []chat.Event
	for {
		select {
		case e := <-s.Live():
			out = append(out, e)
		default:
			return out
		}
	}
}

func decode[T any](t *testing.T, e chat.Event) T {
	t.Helper()
	var v T
	require.NoError(t, json.Unmarshal(e.Data, &v))
	return v
}

func watch(t *testing.T, b *feed.Bus, key chat.SessionKey) *feed.Subscription {
	t.Helper()
	s := b.Subscribe(key)
	t.Cleanup(s.Close)
	return s
}

func TestBus_DeliversLiveEventsInOrderToTheirSessionOnly(t *testing.T) {
	b := newBus()
	mine, another := watch(t, b, key), watch(t, b, "agent:main:web:thread:other")
	offset := 0
	for i := range 10 {
		text := fmt.Sprint(i)
		b.PublishDelta(key, delta("t", 0, 1, offset, text))
		offset += len(text)
	}
	b.PublishOutput(key, chat.Output{Turn: "t", Call: "t.0.0", Text: "out"})
	events := received(mine)
	require.Len(t, events, 11)
	for i, e := range events[:10] {
		require.Equal(t, chat.EventDelta, e.Kind)
		require.Zero(t, e.Seq, "live events carry no sequence")
		require.Equal(t, fmt.Sprint(i), decode[chat.Delta](t, e).Text)
	}
	require.Equal(t, chat.EventOutput, events[10].Kind)
	require.Empty(t, received(another))
}

func TestBus_SeveralWakesShareOne(t *testing.T) {
	b := newBus()
	s := watch(t, b, key)
	for range 5 {
		b.Append(key, nil)
	}
	require.Len(t, s.Woken(), 1)
	<-s.Woken()
	b.Append("agent:main:web:thread:other", nil)
	require.Empty(t, s.Woken())
	b.Append(key, nil)
	require.Len(t, s.Woken(), 1)
}

func TestBus_ASlowSubscriberLosesPiecesAndSeesTheGap(t *testing.T) {
	b := newBus()
	slow := watch(t, b, key)
	const pieces = 2000
	for i := range pieces {
		b.PublishDelta(key, delta("t", 0, 1, i, "x"))
	}
	events := received(slow)
	require.Less(t, len(events), pieces, "the buffer of a subscriber has a limit")
	last := decode[chat.Delta](t, events[len(events)-1])
	require.Equal(t, len(events)-1, last.Offset, "what it got is in order and without a hole")
	b.PublishDelta(key, delta("t", 0, 1, pieces, "y"))
	next := decode[chat.Delta](t, received(slow)[0])
	require.Greater(t, next.Offset, last.Offset+len(last.Text), "the offset shows the hole")
}

func TestSubscribe_BringsWhatIsLiveToThoseWhoComeLate(t *testing.T) {
	b := newBus()
	b.PublishDelta(key, delta("t", 0, 1, 0, "Hello, "))
	b.PublishDelta(key, chat.Delta{Turn: "t", Attempt: 1, Offset: 7, ReasoningOffset: 0, Reasoning: "hm"})
	b.PublishDelta(key, delta("t", 0, 1, 7, "world"))
	b.PublishOutput(key, chat.Output{Turn: "t", Call: "t.0.0", Text: "one\n"})
	b.PublishOutput(key, chat.Output{Turn: "t", Call: "t.0.1", Text: "two\n"})
	b.PublishOutput(key, chat.Output{Turn: "t", Call: "t.0.0", Offset: 4, Text: "three\n"})
	events := received(watch(t, b, key))
	require.Len(t, events, 3)
	d := decode[chat.Delta](t, events[0])
	require.Equal(t, "Hello, world", d.Text)
	require.Equal(t, "hm", d.Reasoning)
	require.Zero(t, d.Offset)
	require.Equal(t, chat.Output{Turn: "t", Call: "t.0.0", Text: "one\nthree\n"}, decode[chat.Output](t, events[1]))
	require.Equal(t, "two\n", decode[chat.Output](t, events[2]).Text)
}

func TestSubscribe_ANewerAttemptAndStepReplaceOlderOnesAndNeverTheOtherWay(t *testing.T) {
	b := newBus()
	text := func() chat.Delta { return decode[chat.Delta](t, received(watch(t, b, key))[0]) }
	b.PublishDelta(key, delta("t", 0, 1, 0, "first attempt"))
	b.PublishDelta(key, delta("t", 0, 2, 0, "second"))
	require.Equal(t, "second", text().Text)
	b.PublishDelta(key, delta("t", 0, 1, 13, "of a worker that was given up"))
	b.PublishDelta(key, delta("t", 0, 2, 6, " attempt"))
	require.Equal(t, "second attempt", text().Text)
	b.PublishDelta(key, delta("t", 1, 1, 0, "next step"))
	b.PublishDelta(key, delta("t", 0, 2, 14, "late"))
	require.Equal(t, 1, text().Step)
	require.Equal(t, "next step", text().Text)
}

func TestSubscribe_KeepsTheEndOfLongOutput(t *testing.T) {
	b := newBus()
	line := strings.Repeat("x", 999) + "\n"
	for i := range 200 {
		b.PublishOutput(key, chat.Output{Turn: "t", Call: "t.0.0", Offset: int64(i * len(line)), Text: line})
	}
	o := decode[chat.Output](t, received(watch(t, b, key))[0])
	require.LessOrEqual(t, len(o.Text), 64<<10)
	require.Equal(t, int64(200*len(line)), o.Offset+int64(len(o.Text)), "it is the end")
}

func TestSubscribe_KeepsTheEndOfLongOutputBetweenCharacters(t *testing.T) {
	b := newBus()
	for i := range 100 {
		b.PublishOutput(key, chat.Output{Turn: "t", Call: "t.0.0", Offset: int64(i * 1200), Text: strings.Repeat("字", 400)})
	}
	o := decode[chat.Output](t, received(watch(t, b, key))[0])
	require.Equal(t, int64(100*1200), o.Offset+int64(len(o.Text)))
	require.NotContains(t, o.Text, "\uFFFD", "a character was cut in two")
}

func TestSubscribe_TellsOfNoMoreThanAFewCommands(t *testing.T) {
	b := newBus()
	for i := range 100 {
		b.PublishOutput(key, chat.Output{Turn: "t", Call: chat.NewCallID("t", 0, i), Text: "x"})
	}
	require.LessOrEqual(t, len(received(watch(t, b, key))), 64)
}

func TestNow_IsWhatIsLiveAtThisMoment(t *testing.T) {
	b := newBus()
	s := watch(t, b, key)
	writing, outputs := s.Now()
	require.Nil(t, writing)
	require.Empty(t, outputs)
	b.PublishDelta(key, delta("t", 0, 1, 0, "Hello, "))
	b.PublishDelta(key, delta("t", 0, 1, 7, "world"))
	b.PublishOutput(key, chat.Output{Turn: "t", Call: "t.0.0", Text: "one"})
	writing, outputs = s.Now()
	require.Equal(t, "Hello, world", writing.Text)
	require.Equal(t, "one", outputs[0].Text)
	b.PublishDelta(key, delta("t", 0, 1, 12, "!"))
	require.Equal(t, "Hello, world", writing.Text, "it is a copy")
	b.End(key, "t")
	writing, outputs = s.Now()
	require.Nil(t, writing)
	require.Empty(t, outputs)
}

func TestEnd_ForgetsWhatWasLiveOfThatTurnOnly(t *testing.T) {
	b := newBus()
	b.PublishDelta(key, delta("t1", 0, 1, 0, "one"))
	b.PublishOutput(key, chat.Output{Turn: "t1", Call: "t1.0.0", Text: "x"})
	b.End(key, "t1")
	require.Empty(t, received(watch(t, b, key)))
	b.PublishDelta(key, delta("t2", 0, 1, 0, "two"))
	b.End(key, "t1") // comes late, from another process
	require.Equal(t, "two", decode[chat.Delta](t, received(watch(t, b, key))[0]).Text)
}

func TestBus_ForgetsTheCommandsOfAnEarlierTurn(t *testing.T) {
	b := newBus()
	b.PublishOutput(key, chat.Output{Turn: "t1", Call: "t1.0.0", Text: "x"})
	b.PublishOutput(key, chat.Output{Turn: "t2", Call: "t2.0.0", Text: "y"})
	events := received(watch(t, b, key))
	require.Len(t, events, 1)
	require.Equal(t, chat.TurnID("t2"), decode[chat.Output](t, events[0]).Turn)
}

func TestBus_SurvivesManyWhoComeAndGo(t *testing.T) {
	b := newBus()
	var wg sync.WaitGroup
	for i := range 8 {
		session := chat.SessionKey(fmt.Sprint("s", i%2))
		wg.Go(func() {
			for n := range 200 {
				b.PublishDelta(session, delta("t", 0, 1, n, "x"))
				b.Append(session, nil)
			}
			b.End(session, "t")
		})
		wg.Go(func() {
			for range 200 {
				s := b.Subscribe(session)
				received(s)
				s.Close()
				s.Close()
			}
		})
	}
	wg.Wait()
	b.End("s0", "t")
	b.End("s1", "t")
	require.Zero(t, feed.Topics(b), "an idle session costs no memory")
}

func TestBus_ForgetsASessionWhoseTurnWasNeverEnded(t *testing.T) {
	b := newBus()
	b.PublishDelta(key, delta("t", 0, 1, 0, "a worker that was given up"))
	feed.Forget(b, time.Now())
	require.Equal(t, 1, feed.Topics(b), "it may still be written")
	s := watch(t, b, key)
	received(s)
	feed.Forget(b, time.Now().Add(time.Hour))
	require.Equal(t, 1, feed.Topics(b), "somebody watches")
	require.Empty(t, received(watch(t, b, key)))
	s.Close()
}

func TestSubscribe_ShowsWhatATaskPrintsAcrossTurnsUntilItsEnd(t *testing.T) {
	b := newBus()
	tail := b.NewTaskTail(key, chat.Task{ID: "bg1", Call: "t1.0.0"}, "t1", 100)
	tail.Print("from the task")
	tail.Close()
	b.PublishDelta(key, delta("t2", 0, 1, 0, "another turn"))
	b.End(key, "t2")
	seen := received(watch(t, b, key))
	require.Len(t, seen, 1, "the end of a turn is not the end of its tasks")
	require.Equal(t, chat.Output{Turn: "t1", Call: "t1.0.0", Task: "bg1", Offset: 100, Text: "from the task"}, decode[chat.Output](t, seen[0]))
	b.EndTask(key, "t1.0.0")
	require.Empty(t, received(watch(t, b, key)))
}

func TestBus_TellsWhatGoesOnBelowToThoseWhoWatchAndKeepsNothingOfIt(t *testing.T) {
	b := newBus()
	s := watch(t, b, key)
	b.Below(key)
	told := received(s)
	require.Len(t, told, 1)
	require.Equal(t, chat.EventBelow, told[0].Kind)
	require.JSONEq(t, "{}", string(told[0].Data))
	require.Empty(t, received(watch(t, b, key)), "who comes later reads how things stand")
}

func TestBus_TellsASubagentWhatGoesOnInItsTreeAndNothingElseOfIt(t *testing.T) {
	b := newBus()
	sub := b.SubscribeBelow(key, "agent:main:subagent:s")
	b.Below(key)
	told := received(sub)
	require.Len(t, told, 1)
	require.Equal(t, chat.EventBelow, told[0].Kind)
	b.PublishDelta(key, delta("t", 0, 1, 0, "for those who watch the conversation"))
	b.Append(key, nil)
	require.Empty(t, received(sub))
	require.Empty(t, sub.Woken())
	sub.Close()
	b.Below(key)
	require.Empty(t, received(sub))
	require.Equal(t, 1, feed.Topics(b), "what the model writes above stays live, the subagent's topic is gone")
}

func TestBus_SaysThatThereIsSomethingToShowAndKeepsNothingOfIt(t *testing.T) {
	b := newBus()
	s := watch(t, b, key)
	b.Act(key)
	told := received(s)
	require.Len(t, told, 1)
	require.Equal(t, chat.EventAction, told[0].Kind)
	require.JSONEq(t, "{}", string(told[0].Data), "what it is stands in a row, for its client alone")
	require.Empty(t, received(watch(t, b, key)), "who comes later reads the row")
}
