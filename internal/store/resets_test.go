package store_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
)

var newConversation = i18n.Say(i18n.English, i18n.ResetNew)

// reset is a whole turn that begins the conversation anew.
func (b *bundle) reset(turn chat.TurnID, say string) {
	b.t.Helper()
	b.order(turn, "/new")
	require.NoError(b.t, b.Conversations.ResetSession(b.t.Context(), turn, chat.ResetNew, "", say))
	b.finish(turn, chat.TurnDone)
}

func TestReset_HidesFromTheModelWhatPeopleCanStillRead(t *testing.T) {
	b := setup(t)
	b.layered()
	require.NoError(t, b.keepPart("t2", "memory"))
	seq := b.transcript().Seq
	b.reset("r1", "hello")

	require.Empty(t, b.seen())
	w, err := b.Conversations.Window(t.Context(), key)
	require.NoError(t, err)
	require.Nil(t, w.Compaction)
	require.Empty(t, w.Controls)
	require.Empty(t, w.Todos)
	session, _, err := b.Conversations.Session(t.Context(), key)
	require.NoError(t, err)
	require.Zero(t, session.ContextUsed)
	parts, err := b.Conversations.PromptParts(t.Context(), key)
	require.NoError(t, err)
	require.Empty(t, parts, "the parts of the prompt are read anew")
	said := b.said()
	require.Subset(t, said, []string{"q0", "answer to q0", "q2", "answer to q2"})
	require.Equal(t, []string{"/new", newConversation, "hello"}, said[len(said)-3:])

	var kinds []chat.EventKind
	for _, e := range b.events(seq) {
		kinds = append(kinds, e.Kind)
	}
	require.Contains(t, kinds, chat.EventTodos)
	require.Contains(t, kinds, chat.EventSession)

	b.exchange("t9", "q9")
	require.Equal(t, []string{"q9", "answer to q9"}, b.seen())
	_, err = b.Conversations.LastStep(t.Context(), key)
	require.Error(t, err, "no request since the reset is kept")
}

// keepPart keeps a part of the prompt with the session, in a turn that runs for it.
func (b *bundle) keepPart(of chat.TurnID, part string) error {
	turn := of + "-part"
	b.send("m-"+string(turn), "a message")
	b.claim(turn)
	_, err := b.Turns.FreezeSystem(b.t.Context(), b.begin(turn, 0), "a prompt", []chat.Part{{Key: part, Source: "s", Body: "b"}})
	b.finish(turn, chat.TurnDone)
	return err
}

func TestReset_TellsNothingMoreWhereTextFollows(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	in := b.inbound("c1", "/new")
	in.Control = true
	_, err := b.Turns.Accept(t.Context(), in)
	require.NoError(t, err)
	b.send("c1#text", "q1")
	b.claim("r1")
	require.NoError(t, b.Conversations.ResetSession(t.Context(), "r1", chat.ResetNew, "", "hello"))
	b.finish("r1", chat.TurnDone)
	require.Equal(t, []string{"q0", "answer to q0", "/new", newConversation}, b.said())
	o, err := b.Conversations.TurnCommand(t.Context(), "r1")
	require.NoError(t, err)
	require.True(t, o.Answered)
}

func TestReset_IsDoneOnceHoweverOftenItIsTried(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.order("r1", "/new")
	for range 3 {
		require.NoError(t, b.Conversations.ResetSession(t.Context(), "r1", chat.ResetNew, "", "hello"))
	}
	settled, err := b.Turns.SettleTurn(t.Context(), "r1") // its run is lost before it was closed
	require.NoError(t, err)
	require.Equal(t, engine.SettledReleased, settled)
	_, ok := b.claim("r2")
	require.True(t, ok)
	require.NoError(t, b.Conversations.ResetSession(t.Context(), "r2", chat.ResetNew, "", "hello"))
	b.finish("r2", chat.TurnDone)
	require.Equal(t, []string{"q0", "answer to q0", "/new", newConversation, "hello"}, b.said())
	require.Empty(t, b.seen())
	resets, err := b.Conversations.Resets(t.Context(), key, 10)
	require.NoError(t, err)
	require.Len(t, resets, 1)
	require.Equal(t, chat.ResetNew, resets[0].Reason)
}

func TestReset_ChoosesTheModel(t *testing.T) {
	b := setup(t)
	b.order("r1", "/new p/large")
	require.NoError(t, b.Conversations.ResetSession(t.Context(), "r1", chat.ResetNew, "p/large", "hello"))
	b.finish("r1", chat.TurnDone)
	b.reset("r2", "hello")
	session, _, err := b.Conversations.Session(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, "p/large", session.Model, "a reset without a model leaves it")
}

func TestRewind_ToBeforeAResetUndoesIt(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.compact(b.id("answer to q0"), "what q0 was about")
	b.exchange("t1", "q1")
	b.reset("r1", "hello")
	b.exchange("t2", "q2")
	b.compact(b.id("answer to q2"), "what q2 was about")
	b.reset("r2", "hello")
	b.exchange("t3", "q3")

	b.rewind("w1", 1, 0)
	require.Empty(t, b.seen(), "the second reset holds")
	b.rewind("w2", 1, 0)
	require.Empty(t, b.seen(), "q2 and the second reset are gone, the first one holds")
	w, err := b.Conversations.Window(t.Context(), key)
	require.NoError(t, err)
	require.Nil(t, w.Compaction, "what was compacted before the first reset stays behind it")
	b.exchange("t4", "q4")
	require.Equal(t, []string{"q4", "answer to q4"}, b.seen())
	b.rewind("w3", 2, 0)
	require.Empty(t, b.seen())
	w, err = b.Conversations.Window(t.Context(), key)
	require.NoError(t, err)
	require.NotNil(t, w.Compaction, "no reset is left: the summary of q0 stands again")
	resets, err := b.Conversations.Resets(t.Context(), key, 10)
	require.NoError(t, err)
	require.Empty(t, resets)
}

func TestRewind_ToBeforeAResetBringsItsPlanBack(t *testing.T) {
	b := setup(t)
	b.planned("t0", "q0", `{"todos":[{"id":"1","text":"go on"}]}`)
	b.exchange("t1", "q1")
	b.reset("r1", "hello")
	b.exchange("t2", "q2")
	todos, err := b.Conversations.Todos(t.Context(), key)
	require.NoError(t, err)
	require.Empty(t, todos)
	b.rewind("w1", 1, 0)
	todos, err = b.Conversations.Todos(t.Context(), key)
	require.NoError(t, err)
	require.Empty(t, todos, "the reset holds")
	b.rewind("w2", 0, b.id("q1"))
	require.Contains(t, b.seen(), "answer to q0")
	todos, err = b.Conversations.Todos(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, []chat.Todo{{ID: "1", Text: "go on"}}, todos)
}

// planned is a turn in which the model writes the to-do list.
func (b *bundle) planned(turn chat.TurnID, text, arguments string) {
	b.t.Helper()
	b.send("m-"+string(turn), text)
	b.claim(turn)
	call := chat.ToolCall{ID: chat.NewCallID(turn, 0, 0), ProviderID: "c", Name: "todo_write", Class: chat.ClassIdempotent, Arguments: arguments}
	_, err := b.Turns.CommitStep(b.t.Context(), b.begin(turn, 0), chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{call}})
	require.NoError(b.t, err)
	var said struct {
		Todos []chat.Todo `json:"todos"`
	}
	require.NoError(b.t, json.Unmarshal([]byte(arguments), &said))
	require.NoError(b.t, b.Conversations.SetTodos(b.t.Context(), key, said.Todos))
	require.NoError(b.t, b.Calls.FinishCall(b.t.Context(), call.ID, chat.ToolResult{Content: "written"}))
	b.spend(b.begin(turn, 1), "p/a", "answer to "+text, chat.Usage{PromptTokens: 10, CompletionTokens: 1})
	b.finish(turn, chat.TurnDone)
}

func TestFork_KeepsTheResetsOfWhatItCopies(t *testing.T) {
	b := setup(t)
	b.planned("t0", "q0", `{"todos":[{"id":"1","text":"go on"}]}`)
	b.reset("r1", "hello")
	b.exchange("t1", "q1")

	b.fork(conversation.NewFork{Key: key + "-whole"})
	require.Equal(t, b.view(key), b.view(key+"-whole"))
	resets, err := b.Conversations.Resets(t.Context(), key+"-whole", 10)
	require.NoError(t, err)
	require.Len(t, resets, 1)
	todos, err := b.Conversations.Todos(t.Context(), key+"-whole")
	require.NoError(t, err)
	require.Empty(t, todos)

	b.fork(conversation.NewFork{Key: key + "-back", Back: 1})
	require.Empty(t, b.view(key+"-back"), "it ends behind the reset")

	b.fork(conversation.NewFork{Key: key + "-before", Upto: b.id("answer to q0")})
	require.Contains(t, b.view(key+"-before"), "answer to q0", "it ends before the reset")
	todos, err = b.Conversations.Todos(t.Context(), key+"-before")
	require.NoError(t, err)
	require.Equal(t, []chat.Todo{{ID: "1", Text: "go on"}}, todos)

	b.rewind("w1", 2, 0)
	b.exchange("t2", "q2")
	b.fork(conversation.NewFork{Key: key + "-undone"})
	require.Equal(t, b.view(key), b.view(key+"-undone"))
	require.Contains(t, b.view(key+"-undone"), "q2")
}

func TestStepWindow_IsOfTheResetThatHeldThen(t *testing.T) {
	b := setup(t)
	var want []string
	turns := []chat.TurnID{}
	sent := func(turn chat.TurnID, text string) {
		b.send("m-"+string(turn), text)
		b.claim(turn)
		w, err := b.Conversations.Window(t.Context(), key)
		require.NoError(t, err)
		s := chat.Sent{ControlUpto: w.Upto, MessageUpto: w.Last(), Hash: []byte{1}}
		if w.Compaction != nil {
			s.Compaction = w.Compaction.ID
		}
		a := chat.Answer{Text: "answer to " + text, Model: "p/a", Finish: "stop", Sent: s, Usage: chat.Usage{PromptTokens: 1}}
		_, err = b.Turns.CommitStep(t.Context(), b.begin(turn, 0), a)
		require.NoError(t, err)
		b.finish(turn, chat.TurnDone)
		turns, want = append(turns, turn), append(want, lines(w))
	}
	sent("t0", "q0")
	sent("t1", "q1")
	b.reset("r1", "")
	sent("t2", "q2")
	sent("t3", "q3")
	b.compact(b.id("answer to q2"), "what q2 was about")
	sent("t4", "q4")
	b.reset("r2", "")
	sent("t5", "q5")
	b.rewind("w1", 3, 0) // q5, q4, q3: the second reset is undone
	sent("t6", "q6")
	b.rewind("w2", 3, 0) // q6, q2, q1: so is the first
	sent("t7", "q7")
	require.Contains(t, want[7], "q0")
	require.NotContains(t, want[2], "q0")
	for i, turn := range turns {
		got, err := b.Conversations.StepWindow(t.Context(), key, turn, 0)
		require.NoError(t, err)
		require.Equal(t, want[i], lines(got.Window), turn)
	}
}

// lines tells what a window holds.
func lines(w chat.Window) (out string) {
	if w.Compaction != nil {
		out = fmt.Sprintln("compaction", w.Compaction.ID)
	}
	for _, l := range w.Lines {
		out += fmt.Sprintln(l.Message.ID, l.Message.Role, l.Message.Content)
	}
	for _, c := range w.Controls {
		out += fmt.Sprintln("control", c.ID, c.Kind)
	}
	return out
}

func TestRenew_BeginsAnewOnceARun(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	for range 2 {
		require.NoError(t, b.Conversations.Renew(t.Context(), key, "run-1", chat.ResetNew))
	}
	b.exchange("t1", "q1")
	require.NoError(t, b.Conversations.Renew(t.Context(), key, "run-1", chat.ResetNew))
	require.Equal(t, []string{"q1", "answer to q1"}, b.seen())
	require.NoError(t, b.Conversations.Renew(t.Context(), key, "run-2", chat.ResetNew))
	require.Empty(t, b.seen())
}
