package story_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/apiclient/apitest"
	"xbot/internal/client/cli/story"
)

// tell applies live and durable events; durable ones are numbered in order.
func tell(t *testing.T, s *story.Story, events ...any) {
	t.Helper()
	for _, data := range events {
		event := chat.Event{}
		switch data.(type) {
		case chat.Delta:
			event.Kind = chat.EventDelta
		case chat.Output:
			event.Kind = chat.EventOutput
		case chat.Queued:
			event.Kind = chat.EventQueued
		case chat.Dropped:
			event.Kind = chat.EventDropped
		case chat.Message:
			event.Kind = chat.EventMessage
		case chat.Turn:
			event.Kind = chat.EventTurn
		case chat.ToolEvent:
			event.Kind = chat.EventTool
		case chat.Retry:
			event.Kind = chat.EventRetry
		case chat.Rewound:
			event.Kind = chat.EventRewind
		}
		if event.Kind != chat.EventDelta && event.Kind != chat.EventOutput {
			event.Seq = s.Seq + 1
		}
		text, err := json.Marshal(data)
		require.NoError(t, err)
		event.Data = text
		require.NoError(t, s.Apply(event))
	}
}

func empty() *story.Story { return story.New(chat.Session{Key: "k"}, apiclient.Transcript{}) }

func TestStory_AnswerGrowsByDeltasAndIsReplacedByItsMessage(t *testing.T) {
	t.Parallel()
	s := empty()
	tell(t, s,
		chat.Queued{Inbox: 1, Text: "hi"},
		chat.Message{ID: 1, Role: chat.RoleUser, Turn: "t", Inbox: 1, Content: "hi"},
		chat.Turn{ID: "t", State: chat.TurnRunning},
		chat.Delta{Turn: "t", Attempt: 1, Reasoning: "hm"},
		chat.Delta{Turn: "t", Attempt: 1, ReasoningOffset: 2, Text: "Hel"},
		chat.Delta{Turn: "t", Attempt: 1, ReasoningOffset: 2, Text: "Hel"}, // told twice
		chat.Delta{Turn: "t", Attempt: 1, ReasoningOffset: 2, Offset: 2, Text: "llo"},
	)
	require.Empty(t, s.Queued)
	require.NotNil(t, s.Turn)
	require.Len(t, s.Entries, 2)
	answer := s.Entries[1]
	require.True(t, answer.Live)
	require.Equal(t, "Hello", answer.Content)
	require.Equal(t, "hm", answer.Reasoning)

	tell(t, s,
		chat.Message{ID: 2, Role: chat.RoleAssistant, Turn: "t", Content: "Hello!", FinishReason: "stop"},
		chat.Turn{ID: "t", State: chat.TurnDone, Steps: 1},
	)
	require.Len(t, s.Entries, 2)
	require.Equal(t, "Hello!", s.Entries[1].Content)
	require.False(t, s.Entries[1].Live)
	require.Equal(t, 1, s.Entries[1].Ended.Steps)
	require.Nil(t, s.Turn)
}

func TestStory_AHoleInTheDeltasIsShownUntilTheMessageComes(t *testing.T) {
	t.Parallel()
	s := empty()
	tell(t, s,
		chat.Delta{Turn: "t", Attempt: 1, Text: "one "},
		chat.Delta{Turn: "t", Attempt: 1, Offset: 8, Text: "three "},
		chat.Delta{Turn: "t", Attempt: 1, Offset: 14, Text: "four"},
	)
	require.Equal(t, "one ", s.Entries[0].Content)
	require.True(t, s.Entries[0].Gap)
	tell(t, s, chat.Message{Role: chat.RoleAssistant, Turn: "t", Content: "one two three four"})
	require.False(t, s.Entries[0].Gap)
}

func TestStory_AWaitForTheProviderTakesThePlaceOfTheRetries(t *testing.T) {
	t.Parallel()
	s := empty()
	tell(t, s, chat.Delta{Turn: "t", Attempt: 1, Text: "wro"}, chat.Retry{Turn: "t", Attempt: 5, Text: "retrying 5/5"},
		chat.Turn{ID: "t", State: chat.TurnRunning, Waits: &chat.Wait{Reason: "network"}})
	require.Contains(t, s.Entries[0].Retry, "waits for the model provider (network)")
	tell(t, s, chat.Delta{Turn: "t", Attempt: 9, Text: "back"})
	require.Empty(t, s.Entries[0].Retry)
	require.False(t, s.Entries[0].Restarted)
}

func TestStory_ALargerAttemptReplacesWhatASmallerOneSaid(t *testing.T) {
	t.Parallel()
	s := empty()
	tell(t, s, chat.Delta{Turn: "t", Attempt: 1, Text: "wro"}, chat.Retry{Turn: "t", Attempt: 2, Text: "retrying 2/5"})
	require.Equal(t, "retrying 2/5", s.Entries[0].Retry)
	require.Equal(t, "wro", s.Entries[0].Content)
	tell(t, s, chat.Delta{Turn: "t", Attempt: 2, Text: "right"}, chat.Delta{Turn: "t", Attempt: 1, Offset: 3, Text: "ng"})
	require.Equal(t, "right", s.Entries[0].Content)
	require.Empty(t, s.Entries[0].Retry)
	require.False(t, s.Entries[0].Restarted, "a retry that was announced is no restart")
	tell(t, s, chat.Delta{Turn: "t", Attempt: 3, Text: "after a restart"})
	require.True(t, s.Entries[0].Restarted)
	tell(t, s, chat.Message{Role: chat.RoleAssistant, Turn: "t", Content: "after a restart."})
	require.True(t, s.Entries[0].Restarted, "it stays true")
}

func TestStory_ToolCallsRunAndEndWithTheirOutput(t *testing.T) {
	t.Parallel()
	s := empty()
	id := chat.NewCallID("t", 0, 0)
	call := chat.ToolCall{ID: id, Name: "Shell", State: chat.CallOpen}
	tell(t, s, chat.Turn{ID: "t", State: chat.TurnRunning}, chat.Message{Role: chat.RoleAssistant, Turn: "t", ToolCalls: []chat.ToolCall{call}})
	call.State = chat.CallRunning
	tell(t, s, chat.ToolEvent{Turn: "t", ToolCall: call},
		chat.Output{Turn: "t", Call: id, Text: "a\n"}, chat.Output{Turn: "t", Call: id, Text: "a\nb\n"})
	require.Len(t, s.Running(), 1)
	require.Equal(t, "a\nb\n", s.Running()[0].Output)
	tell(t, s, chat.Output{Turn: "t", Call: id, Offset: 100, Text: "late\n"})
	require.Equal(t, "late\n", s.Running()[0].Output)
	require.True(t, s.Running()[0].Cut)
	tell(t, s, chat.Output{Turn: "t", Call: id, Offset: 105, Text: strings.Repeat("x", 100_000)})
	require.Less(t, len(s.Running()[0].Output), 100_000)
	call.State, call.Result = chat.CallDone, "done"
	tell(t, s, chat.ToolEvent{Turn: "t", ToolCall: call})
	require.Empty(t, s.Running())
	require.Equal(t, "done", s.Entries[0].Calls[0].Result)
}

func TestStory_ATurnThatEndsLeavesNothingLive(t *testing.T) {
	t.Parallel()
	s := empty()
	tell(t, s,
		chat.Delta{Turn: "t", Attempt: 1, Text: "half"},
		chat.Delta{Turn: "t", Step: 1, Attempt: 1, ToolName: "Shell"},
		chat.Message{Role: chat.RoleNotice, Turn: "t", Content: "Stopped."},
		chat.Turn{ID: "t", State: chat.TurnStopped},
	)
	require.Len(t, s.Entries, 2, "the step that had said nothing is gone")
	require.True(t, s.Entries[0].Unfinished)
	require.Equal(t, story.Notice, s.Entries[1].Kind)
	require.Equal(t, "half", s.Answer("t").Content)
}

func TestStory_AReleasedTurnGivesItsMessageBackToTheQueue(t *testing.T) {
	t.Parallel()
	s := empty()
	tell(t, s,
		chat.Queued{Inbox: 1, Text: "hi"},
		chat.Message{ID: 1, Role: chat.RoleUser, Turn: "t", Inbox: 1, Content: "hi"},
		chat.Turn{ID: "t", State: chat.TurnRunning},
		chat.Turn{ID: "t", State: chat.TurnReleased},
		chat.Queued{Inbox: 1, Text: "hi"},
	)
	require.Nil(t, s.Turn)
	require.Empty(t, s.Entries)
	require.Empty(t, s.Ends)
	require.Len(t, s.Queued, 1)
}

func TestStory_ADroppedMessageStaysVisibleWithItsReason(t *testing.T) {
	t.Parallel()
	s := empty()
	tell(t, s, chat.Queued{Inbox: 4, Text: "never mind"}, chat.Dropped{Inbox: 4, Outcome: "stopped", Text: "Stopped before it began."})
	require.Empty(t, s.Queued)
	require.Equal(t, "never mind", s.Entries[0].Content)
	require.Equal(t, "Stopped before it began.", s.Entries[1].Content)
}

func TestStory_PassesOverWhatItHasAndWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	s := story.New(chat.Session{}, apiclient.Transcript{Seq: 7})
	require.NoError(t, s.Apply(chat.Event{Seq: 7, Kind: chat.EventMessage, Data: []byte(`{"content":"old"}`)}))
	require.NoError(t, s.Apply(chat.Event{Seq: 8, Kind: "ask", Data: []byte(`{}`)}))
	require.Empty(t, s.Entries)
	require.EqualValues(t, 8, s.Seq)
	require.ErrorContains(t, s.Apply(chat.Event{Seq: 9, Kind: chat.EventTurn, Data: []byte(`[]`)}), `read event "turn" of the server`)
	require.EqualValues(t, 8, s.Seq)
}

func TestStory_ReadsTheSameFromTheFeedAsFromTheTranscript(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, func(turn *apitest.Turn, text string) {
		turn.Think("let me see")
		turn.Say("Looking. ")
		turn.Calls(chat.ToolCall{Name: "Shell", Summary: "ls"}, chat.ToolCall{Name: "Read", Summary: "a.go"})
		turn.Run(0, "a.go\n")
		turn.Done(0, "a.go", false)
		turn.Run(1)
		turn.Done(1, "no such file", true)
		turn.Todos(chat.Todo{ID: "1", Text: "look", Done: true})
		turn.Say("wrong")
		turn.Retry("timeout")
		turn.Say("Here: " + text)
		turn.Answer()
	})
	client := server.Client()
	defer client.Close()
	session, err := client.CreateSession(t.Context(), apiclient.NewSession{})
	require.NoError(t, err)
	_, err = client.Send(t.Context(), session.Key, "m", "hello")
	require.NoError(t, err)

	told := story.New(session, apiclient.Transcript{})
	for u := range client.Watch(t.Context(), session.Key, 0) {
		if u.Hello != nil {
			told.Greet(*u.Hello)
		}
		if u.Event != nil {
			require.NoError(t, told.Apply(*u.Event))
			if u.Event.Kind == chat.EventTurn && told.Turn == nil {
				break
			}
		}
	}
	transcript, err := client.ListMessages(t.Context(), session.Key, apiclient.ListMessagesParams{})
	require.NoError(t, err)
	read := story.New(session, transcript)
	require.Equal(t, read.Seq, told.Seq)
	require.Equal(t, read.Todos, told.Todos)
	require.Len(t, told.Entries, len(read.Entries))
	for i, want := range read.Entries {
		got := told.Entries[i]
		require.Equal(t, []any{want.Kind, want.Content, want.Reasoning, want.ID}, []any{got.Kind, got.Content, got.Reasoning, got.ID})
		require.Len(t, got.Calls, len(want.Calls))
		for j := range want.Calls {
			require.Equal(t, want.Calls[j].ToolCall, got.Calls[j].ToolCall)
		}
	}
}

// FuzzApply: no event of a server, however strange, breaks the story.
func FuzzApply(f *testing.F) {
	f.Add("delta", []byte(`{"turn_id":"t","attempt":1,"offset":-5,"text":"x"}`), []byte(`{"turn_id":"t","attempt":1,"offset":99,"text":"x"}`))
	f.Add("output", []byte(`{"turn_id":"t","call_id":"t.0.0","offset":-9223372036854775808,"text":"x"}`), []byte(`{}`))
	f.Add("tool", []byte(`{"turn_id":"t","id":"t.0.0"}`), []byte(`null`))
	f.Fuzz(func(t *testing.T, kind string, first, second []byte) {
		s := empty()
		tell(t, s, chat.ToolEvent{Turn: "t", ToolCall: chat.ToolCall{ID: "t.0.0"}}, chat.Delta{Turn: "t", Step: 1, Attempt: 1, Text: "é"})
		for _, data := range [][]byte{first, second, first} {
			// An event that cannot be read is refused, which is all that is asked of it here.
			_ = s.Apply(chat.Event{Kind: chat.EventKind(kind), Data: data})
		}
		s.Running()
	})
}

func TestStory_ARewindTakesOutWhatItNames(t *testing.T) {
	t.Parallel()
	s := empty()
	for id := range chat.MessageID(4) {
		tell(t, s, chat.Message{ID: id + 1, Role: chat.RoleUser, Turn: "t", Content: "q"})
	}
	tell(t, s, chat.Delta{Turn: "u", Attempt: 1, Text: "being written"}, chat.Rewound{From: 2, Upto: 3})
	var left []chat.MessageID
	for _, entry := range s.Entries {
		left = append(left, entry.ID)
	}
	require.Equal(t, []chat.MessageID{1, 4, 0}, left, "what has no id yet stays")
}

func TestStory_ACompressionIsSaidUntilTheModelWrites(t *testing.T) {
	t.Parallel()
	s := empty()
	tell(t, s, chat.Delta{Turn: "t", Doing: chat.DoingCompress})
	require.Equal(t, chat.DoingCompress, s.Entries[0].Doing)
	tell(t, s, chat.Delta{Turn: "t", Attempt: 1, Text: "so"})
	require.Empty(t, s.Entries[0].Doing)
	require.False(t, s.Entries[0].Restarted)
}

func TestStory_ASupersededMessageIsToldOnceAndAChangedOneKeepsItsPlace(t *testing.T) {
	t.Parallel()
	s := story.New(chat.Session{}, apiclient.Transcript{})
	tell(t, s,
		chat.Queued{Inbox: 1, Text: "older", Mode: chat.QueueSupersede},
		chat.Queued{Inbox: 2, Text: "later", Mode: chat.QueueFollowup},
		chat.Queued{Inbox: 1, Text: "changed", Mode: chat.QueueSupersede},
	)
	require.Equal(t, []string{"changed", "later"}, []string{s.Queued[0].Text, s.Queued[1].Text})
	tell(t, s, chat.Dropped{Inbox: 1, Outcome: "superseded", Text: "A newer message took its place."})
	require.Len(t, s.Entries, 2)
	require.Equal(t, "superseded", s.Entries[1].Outcome)
	tell(t, s, chat.Message{ID: 9, Turn: "t", Role: chat.RoleUser, Origin: chat.OriginSuperseded, Content: "changed", Inbox: 1})
	require.Len(t, s.Entries, 1, "the transcript has it now")
	require.Equal(t, chat.OriginSuperseded, s.Entries[0].Origin)
}

func TestStory_KnowsWhichMessagesATurnTookInOnItsWay(t *testing.T) {
	t.Parallel()
	said := []chat.Message{
		{ID: 1, Turn: "t", Role: chat.RoleUser, Content: "go", Inbox: 1},
		{ID: 2, Turn: "t", Role: chat.RoleAssistant, Content: "on it"},
		{ID: 3, Turn: "t", Role: chat.RoleUser, Content: "wait", Inbox: 2},
		{ID: 4, Turn: "u", Role: chat.RoleUser, Content: "next", Inbox: 3},
	}
	s := story.New(chat.Session{}, apiclient.Transcript{Messages: said})
	taken := make([]bool, len(s.Entries))
	for i, entry := range s.Entries {
		taken[i] = entry.Taken
	}
	require.Equal(t, []bool{false, false, true, false}, taken)
}
