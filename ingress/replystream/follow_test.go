package replystream_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/replystream"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/engine"
)

var stepUsage = chat.Usage{PromptTokens: 10, CachedTokens: 4, CompletionTokens: 3}

func TestFollow_TellsAnAnswerWhileItIsWritten(t *testing.T) {
	b := setup(t)
	id := b.accept(key, "a", "")
	r := b.follows(replystream.Question{Session: key, Message: id})
	r.expects(replystream.Accepted{Message: id})
	turn := b.claims(key, "t1")
	r.expects(replystream.TurnStarted{Turn: "t1"})
	turn.begins(0)
	turn.bus.PublishDelta(key, chat.Delta{Turn: "t1", Attempt: 1, Reasoning: "hm"})
	turn.bus.PublishDelta(key, chat.Delta{Turn: "t1", Attempt: 1, ReasoningOffset: 2, Text: "Let me "})
	turn.bus.PublishDelta(key, chat.Delta{Turn: "t1", Attempt: 1, ReasoningOffset: 2, Offset: 7, Text: "look."})
	turn.bus.PublishDelta(key, chat.Delta{Turn: "t1", Attempt: 1, ReasoningOffset: 2, Offset: 12, ToolName: "Read"})
	r.expects(replystream.Reasoning{Piece: "hm"}, replystream.Text{Piece: "Let me "}, replystream.Text{Piece: "look."}, replystream.Writing{Tool: "Read"})
	call := turn.says(0, "Let me look.", "Read")[0]
	r.expects(replystream.Message{Text: "Let me look.", Calls: 1, Finish: "tool_calls", Usage: stepUsage})
	turn.calls(call, "the file")
	r.expects(replystream.Call{ID: call, Tool: "Read", Arguments: `{"a":1}`}, replystream.Result{ID: call, Tool: "Read", Text: "the file", OK: true})
	turn.begins(1)
	turn.writes(1, 1, "It is 42.")
	r.expects(replystream.Text{Step: 1, Piece: "It is 42."})
	turn.says(1, "It is 42.")
	turn.ends(chat.TurnDone, "")
	r.expects(replystream.Message{Step: 1, Text: "It is 42.", Finish: "stop", Usage: stepUsage},
		replystream.Done{Finish: "stop", Usage: stepUsage.Add(stepUsage), Turn: "t1"})
	r.over()
}

func TestFollow_ALaterReaderIsToldTheSameAndACursorGoesOn(t *testing.T) {
	b := setup(t)
	id := b.accept(key, "a", "")
	turn := b.claims(key, "t1")
	turn.begins(0)
	turn.calls(turn.says(0, "one", "Read")[0], "the file")
	turn.begins(1)
	turn.says(1, "two")
	turn.ends(chat.TurnDone, "")
	read := func(after int64) (out []replystream.Event) {
		r := b.follows(replystream.Question{Session: key, Message: id, After: after})
		require.NoError(t, <-r.ended)
		for e := range r.events {
			out = append(out, e)
		}
		return out
	}
	all := read(0)
	require.Len(t, all, 7)
	for i, e := range all[1:] {
		require.Equal(t, all[i+2:], append([]replystream.Event{}, read(e.Seq)...)[:len(all)-i-2], "behind %T", e.Content)
	}
	require.Equal(t, []replystream.Event{{Content: all[6].Content}}, read(all[6].Seq), "nothing is left, and that is said")
	require.Equal(t, all, read(all[6].Seq+1_000), "the database is older than the cursor")
}

func TestFollow_TheDeltasOfAnAttemptThatIsGivenUpAreVoid(t *testing.T) {
	b := setup(t)
	id := b.accept(key, "a", "")
	r := b.follows(replystream.Question{Session: key, Message: id})
	turn := b.claims(key, "t1")
	turn.begins(0)
	turn.writes(0, 1, "wro")
	r.expects(replystream.Accepted{Message: id}, replystream.TurnStarted{Turn: "t1"}, replystream.Text{Piece: "wro"})
	turn.fails(0, 1)
	r.expects(replystream.Restart{}, replystream.Waiting{Reason: replystream.WaitsForRetry, Text: "again"})
	turn.bus.PublishDelta(key, chat.Delta{Turn: "t1", Attempt: 1, Offset: 3, Text: "ng"}) // of a worker that is late
	turn.writes(0, 2, "right")
	r.expects(replystream.Text{Piece: "right"})
	turn.writes(0, 3, "right") // a worker died, whom nobody saw fail
	r.expects(replystream.Restart{}, replystream.Text{Piece: "right"})
	turn.says(0, "right")
	r.expects(replystream.Message{Text: "right", Finish: "stop", Usage: stepUsage})
	turn.writes(0, 4, "right, late")
	turn.ends(chat.TurnDone, "")
	r.expects(replystream.Done{Finish: "stop", Usage: stepUsage, Turn: "t1"})
	r.over()
}

func TestFollow_AGapIsClosedByWhatIsLiveOrByTheMessage(t *testing.T) {
	b := setup(t)
	id := b.accept(key, "a", "")
	turn := b.claims(key, "t1")
	turn.begins(0)
	turn.writes(0, 1, "Hello, ", "world")
	r := b.follows(replystream.Question{Session: key, Message: id}) // comes late: the live pieces are told as one
	r.expects(replystream.Accepted{Message: id}, replystream.TurnStarted{Turn: "t1"}, replystream.Text{Piece: "Hello, world"})
	b.bus.PublishDelta(key, chat.Delta{Turn: "t1", Attempt: 1, Offset: 14, Text: "you"}) // what stands before it was lost on the way
	turn.says(0, "Hello, world, you")
	r.expects(replystream.Message{Text: "Hello, world, you", Finish: "stop", Usage: stepUsage})
}

func TestFollow_AReaderThatComesAgainInAStepIsToldThatItsPiecesAreVoid(t *testing.T) {
	b := setup(t)
	id := b.accept(key, "a", "")
	turn := b.claims(key, "t1")
	turn.begins(0)
	call := turn.says(0, "one", "Read")[0]
	turn.calls(call, "the file")
	turn.begins(1)
	turn.writes(1, 1, "Hello")
	r := b.follows(replystream.Question{Session: key, Message: id})
	var cursor int64
	for range 5 {
		cursor = max(cursor, r.next().Seq)
	}
	r.expects(replystream.Text{Step: 1, Piece: "Hello"})
	r.cancel(errLeft)
	require.ErrorIs(t, <-r.ended, errLeft)
	turn.bus.PublishDelta(key, chat.Delta{Turn: "t1", Step: 1, Attempt: 1, Offset: 5, Text: ", world"})
	again := b.follows(replystream.Question{Session: key, Message: id, After: cursor})
	again.expects(replystream.Restart{Step: 1}, replystream.Text{Step: 1, Piece: "Hello, world"})
}

func TestFollow_AMessageThatIsTakenByARunningTurnIsAnsweredByItsRest(t *testing.T) {
	b := setup(t)
	b.accept(key, "a", "")
	turn := b.claims(key, "t1")
	turn.begins(0)
	turn.writes(0, 1, "for another")
	id := b.accept(key, "b", chat.QueueSteer)
	r := b.follows(replystream.Question{Session: key, Message: id})
	r.expects(replystream.Accepted{Message: id})
	call := turn.says(0, "for another", "Read")[0]
	turn.calls(call, "the file")
	got, err := b.Turns.Steer(t.Context(), key, "t1", 1)
	require.NoError(t, err)
	require.Equal(t, 1, got.Messages)
	turn.begins(1)
	turn.writes(1, 1, "for you")
	r.expects(replystream.TurnStarted{Turn: "t1"}, replystream.Text{Step: 1, Piece: "for you"})
	turn.says(1, "for you")
	turn.ends(chat.TurnDone, "")
	r.expects(replystream.Message{Step: 1, Text: "for you", Finish: "stop", Usage: stepUsage})
	again := b.follows(replystream.Question{Session: key, Message: id})
	again.expects(replystream.Accepted{Message: id}, replystream.TurnStarted{Turn: "t1"}, replystream.Message{Step: 1, Text: "for you", Finish: "stop", Usage: stepUsage},
		replystream.Done{Finish: "stop", Usage: stepUsage.Add(stepUsage), Turn: "t1"})
	again.over()
}

func TestFollow_TellsHowAnAnswerFails(t *testing.T) {
	b := setup(t)
	for state, want := range map[chat.TurnState]replystream.Content{
		chat.TurnFailed:  replystream.Failure{Kind: replystream.Failed, Text: i18n.Say(i18n.English, i18n.Broken), Turn: "failed"},
		chat.TurnStopped: replystream.Done{Finish: chat.FinishStopped, Turn: "stopped"},
		chat.TurnLost:    replystream.Failure{Kind: replystream.Lost, Text: i18n.Say(i18n.English, i18n.Gone), Turn: "lost"},
	} {
		id := b.accept(key, string(state), "")
		turn := b.claims(key, chat.TurnID(state))
		say := i18n.Broken
		if state == chat.TurnLost {
			say = i18n.Gone
		}
		turn.begins(0)
		turn.ends(state, say)
		r := b.follows(replystream.Question{Session: key, Message: id})
		r.expects(replystream.Accepted{Message: id}, replystream.TurnStarted{Turn: turn.id}, want)
		r.over()
	}
}

func TestFollow_WhoKnowsTheEndIsToldItAgainWithoutACursor(t *testing.T) {
	b := setup(t)
	failed := b.accept(key, "a", "")
	turn := b.claims(key, "t1")
	turn.begins(0)
	turn.ends(chat.TurnFailed, i18n.Broken)
	recalled := b.accept(key, "b", "")
	require.NoError(t, b.Turns.RecallWaiting(t.Context(), key, recalled))
	last := b.Transcript(key).Seq
	for id, want := range map[chat.InboxID]replystream.Content{
		failed:   replystream.Failure{Kind: replystream.Failed, Text: i18n.Say(i18n.English, i18n.Broken), Turn: "t1"},
		recalled: replystream.Failure{Kind: replystream.Dropped, Outcome: "recalled", Text: i18n.Say(i18n.English, i18n.Recalled)},
	} {
		r := b.follows(replystream.Question{Session: key, Message: id, After: last})
		require.Equal(t, replystream.Event{Content: want}, r.next())
		r.over()
	}
}

func TestFollow_AMessageThatIsDroppedHasItsReason(t *testing.T) {
	b := setup(t)
	id := b.accept(key, "a", "")
	r := b.follows(replystream.Question{Session: key, Message: id})
	r.expects(replystream.Accepted{Message: id})
	require.NoError(t, b.Turns.RecallWaiting(t.Context(), key, id))
	want := replystream.Failure{Kind: replystream.Dropped, Outcome: "recalled", Text: i18n.Say(i18n.English, i18n.Recalled)}
	r.expects(want)
	r.over()

	older := b.accept(key, "b", "")
	newer := b.accept(key, "c", chat.QueueSupersede)
	turn := b.claims(key, "t1")
	turn.begins(0)
	turn.says(0, "for the newer")
	turn.ends(chat.TurnDone, "")
	for id, want := range map[chat.InboxID]replystream.Content{
		older: replystream.Failure{Kind: replystream.Dropped, Outcome: "superseded"},
		newer: replystream.Done{Finish: "stop", Usage: stepUsage, Turn: "t1"},
	} {
		r := b.follows(replystream.Question{Session: key, Message: id})
		require.NoError(t, <-r.ended)
		var last replystream.Content
		for e := range r.events {
			last = e.Content
		}
		require.Equal(t, want, last)
	}
}

func TestFollow_WaitsAgainWhereATurnGivesTheMessageBack(t *testing.T) {
	b := setup(t)
	id := b.accept(key, "a", "")
	r := b.follows(replystream.Question{Session: key, Message: id})
	b.claims(key, "t1")
	r.expects(replystream.Accepted{Message: id}, replystream.TurnStarted{Turn: "t1"})
	settled, err := b.Turns.SettleTurn(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, engine.SettledReleased, settled)
	turn := b.claims(key, "t2")
	r.expects(replystream.TurnStarted{Turn: "t2"})
	turn.begins(0)
	turn.says(0, "hello")
	turn.ends(chat.TurnDone, "")
	r.expects(replystream.Message{Text: "hello", Finish: "stop", Usage: stepUsage}, replystream.Done{Finish: "stop", Usage: stepUsage, Turn: "t2"})
	r.over()
}

func TestFollow_SaysThatAPersonIsAsked(t *testing.T) {
	b := setup(t)
	id := b.accept(key, "a", "")
	turn := b.claims(key, "t1")
	turn.begins(0)
	call := chat.ToolCall{ID: chat.NewCallID("t1", 0, 0), Name: "Shell", Class: chat.ClassExec, Rule: chat.RuleAsk}
	_, err := b.Turns.CommitStep(t.Context(), turn.step(0), chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{call}})
	require.NoError(t, err)
	_, err = b.Calls.Ask(t.Context(), call.ID, chat.Request{})
	require.NoError(t, err)
	r := b.follows(replystream.Question{Session: key, Message: id, Lang: i18n.Chinese})
	r.expects(replystream.Accepted{Message: id}, replystream.TurnStarted{Turn: "t1"}, replystream.Message{Calls: 1, Finish: "tool_calls"},
		replystream.Waiting{Reason: replystream.WaitsForPerson, Text: i18n.Say(i18n.Chinese, i18n.AnswerAsks, "Shell")})
}

func TestFollow_ReadsTheTranscriptWhereEventsAreNotKeptAnyMore(t *testing.T) {
	b := setup(t)
	id := b.accept(key, "a", "")
	turn := b.claims(key, "t1")
	turn.begins(0)
	call := turn.says(0, "one", "Read")[0]
	turn.calls(call, "the file")
	turn.begins(1)
	turn.says(1, "two")
	turn.ends(chat.TurnDone, "")
	waits := b.accept(key, "b", "")
	_, err := b.Pool.Exec(t.Context(), "DELETE FROM feed_events")
	require.NoError(t, err)
	r := b.follows(replystream.Question{Session: key, Message: id})
	r.expects(replystream.Accepted{Message: id}, replystream.TurnStarted{Turn: "t1"},
		replystream.Message{Text: "one", Calls: 1, Finish: "tool_calls", Usage: stepUsage}, replystream.Result{ID: call, Tool: "Read", Text: "the file", OK: true},
		replystream.Message{Step: 1, Text: "two", Finish: "stop", Usage: stepUsage}, replystream.Done{Finish: "stop", Usage: stepUsage.Add(stepUsage), Turn: "t1"})
	r.over()
	r = b.follows(replystream.Question{Session: key, Message: waits})
	r.expects(replystream.Accepted{Message: waits})
	b.claims(key, "t2")
	r.expects(replystream.TurnStarted{Turn: "t2"})
}

// revoked refuses from some time on.
type revoked chan struct{}

func (c revoked) Still(context.Context) error {
	select {
	case <-c:
		return fault.Errorf(fault.Denied, "revoked")
	default:
		return nil
	}
}

func TestFollow_EndsWithItsReaderItsAccessItsSessionAndTheServer(t *testing.T) {
	b := setup(t)
	b.source.PingEvery = 10 * time.Millisecond
	id := b.accept(key, "a", "")
	gone := b.follows(replystream.Question{Session: key, Message: id})
	gone.expects(replystream.Accepted{Message: id}, replystream.Ping{})
	gone.cancel(errLeft)
	require.ErrorIs(t, <-gone.ended, errLeft)

	access := make(revoked)
	r := b.follows(replystream.Question{Session: key, Message: id, Access: access})
	r.expects(replystream.Accepted{Message: id}, replystream.Ping{})
	close(access)
	require.EqualError(t, <-r.ended, "revoked")

	require.True(t, fault.Is(<-b.follows(replystream.Question{Session: key, Message: 999}).ended, fault.NotFound))
	b.MakeSession("agent:main:web:thread:other")
	require.True(t, fault.Is(<-b.follows(replystream.Question{Session: "agent:main:web:thread:other", Message: id}).ended, fault.NotFound), "it is no message of that session")

	deleted := b.follows(replystream.Question{Session: key, Message: id})
	deleted.expects(replystream.Accepted{Message: id})
	_, err := b.Pool.Exec(t.Context(), "DELETE FROM sessions WHERE key = $1", key)
	require.NoError(t, err)
	require.True(t, fault.Is(<-deleted.ended, fault.NotFound))

	b.MakeSession(key)
	id = b.accept(key, "a", "")
	stopped := b.follows(replystream.Question{Session: key, Message: id})
	stopped.expects(replystream.Accepted{Message: id})
	close(b.closing)
	require.ErrorIs(t, <-stopped.ended, replystream.ErrClosing)
}

func TestFollow_TheArgumentsOfCallsAreToldAsTheyAreWritten(t *testing.T) {
	b := setup(t)
	id := b.accept(key, "a", "")
	turn := b.claims(key, "t1")
	turn.begins(0)
	piece := func(call, offset int, text string) replystream.Arguments {
		return replystream.Arguments{ID: chat.NewCallID("t1", 0, call), Tool: "Read", Offset: offset, Piece: text}
	}
	r := b.follows(replystream.Question{Session: key, Message: id})
	r.expects(replystream.Accepted{Message: id}, replystream.TurnStarted{Turn: "t1"})
	turn.argues(0, 1, 0, 0, `{"a`)
	r.expects(replystream.Writing{Tool: "Read"}, piece(0, 0, `{"a`)) // a reader that is slower gets adjacent pieces as one
	turn.argues(0, 1, 0, 0, `{"a`, `":`)
	turn.argues(0, 1, 1, 0, `{"b`)
	r.expects(piece(0, 3, `":`), piece(1, 0, `{"b`))

	late := b.follows(replystream.Question{Session: key, Message: id})
	late.expects(replystream.Accepted{Message: id}, replystream.TurnStarted{Turn: "t1"}, replystream.Writing{Tool: "Read"}, piece(0, 0, `{"a":`), piece(1, 0, `{"b`))

	turn.fails(0, 1)
	r.expects(replystream.Restart{}, replystream.Waiting{Reason: replystream.WaitsForRetry, Text: "again"})
	turn.argues(0, 2, 0, 0, `{"a":`)
	turn.bus.PublishDelta(key, chat.Delta{Turn: "t1", Attempt: 2, ToolName: "Read", Call: "t1.0.0", ArgumentsOffset: 99, Arguments: "what follows a gap"})
	r.expects(replystream.Writing{Tool: "Read"}, piece(0, 0, `{"a":`))
	call := turn.says(0, "", "Read")[0]
	r.expects(replystream.Message{Calls: 1, Finish: "tool_calls", Usage: stepUsage})
	turn.argues(0, 2, 0, 0, `{"a":1}`) // late
	turn.calls(call, "the file")
	r.expects(replystream.Call{ID: call, Tool: "Read", Arguments: `{"a":1}`}, replystream.Result{ID: call, Tool: "Read", Text: "the file", OK: true})
}

func TestFollow_AReaderThatComesAgainAmongArgumentsIsToldThemWholeOnce(t *testing.T) {
	b := setup(t)
	id := b.accept(key, "a", "")
	turn := b.claims(key, "t1")
	turn.begins(0)
	turn.argues(0, 1, 0, 0, `{"a`)
	r := b.follows(replystream.Question{Session: key, Message: id})
	r.expects(replystream.Accepted{Message: id})
	cursor := r.next().Seq
	r.expects(replystream.Writing{Tool: "Read"}, replystream.Arguments{ID: "t1.0.0", Tool: "Read", Piece: `{"a`})
	r.cancel(errLeft)
	require.ErrorIs(t, <-r.ended, errLeft)
	turn.bus.PublishDelta(key, chat.Delta{Turn: "t1", Attempt: 1, ToolName: "Read", Call: "t1.0.0", ArgumentsOffset: 3, Arguments: `":1}`})
	again := b.follows(replystream.Question{Session: key, Message: id, After: cursor})
	again.expects(replystream.Restart{}, replystream.Writing{Tool: "Read"}, replystream.Arguments{ID: "t1.0.0", Tool: "Read", Piece: `{"a":1}`})
}

func TestFollow_AReaderThatStopsReadingEndsIt(t *testing.T) {
	b := setup(t)
	id := b.accept(key, "a", "")
	for e, err := range b.source.Follow(t.Context(), replystream.Question{Session: key, Message: id}) {
		require.NoError(t, err)
		require.Equal(t, replystream.Accepted{Message: id}, e.Content)
		break
	}
}

// slowRows are rows that are read while something else happens.
type slowRows struct {
	replystream.Conversations

	meanwhile atomic.Pointer[func()]
}

func (s *slowRows) EventsAfter(ctx context.Context, session chat.SessionKey, after int64, limit int) ([]chat.Event, error) {
	if f := s.meanwhile.Swap(nil); f != nil {
		(*f)()
	}
	return s.Conversations.EventsAfter(ctx, session, after, limit)
}

func TestFollow_PiecesOfAnAttemptComeBeforeItsMessageAlsoWhereTheyComeWhileRowsAreRead(t *testing.T) {
	b := setup(t)
	rows := &slowRows{Conversations: b.Store.Conversations}
	b.source.Conversations = rows
	id := b.accept(key, "m1", "")
	turn := b.claims(key, "t1")
	turn.begins(0)
	r := b.follows(replystream.Question{Session: key, Message: id})
	r.expects(replystream.Accepted{Message: id}, replystream.TurnStarted{Turn: "t1"})
	turn.writes(0, 1, "wrong")
	r.expects(replystream.Text{Piece: "wrong"})
	meanwhile := func() {
		turn.writes(0, 2, "right")
		turn.says(0, "right answer")
	}
	rows.meanwhile.Store(&meanwhile)
	r.expects(replystream.Restart{}, replystream.Text{Piece: "right"})
	require.IsType(t, replystream.Message{}, r.next().Content)
}
