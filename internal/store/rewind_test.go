package store_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
)

// exchange is a whole turn: a message and its answer.
func (b *bundle) exchange(turn chat.TurnID, text string) {
	b.t.Helper()
	b.send("m-"+string(turn), text)
	_, ok := b.claim(turn)
	require.True(b.t, ok)
	b.spend(b.begin(turn, 0), "p/a", "answer to "+text, chat.Usage{PromptTokens: 10, CompletionTokens: 1})
	b.finish(turn, chat.TurnDone)
}

// order accepts a queued command and lets a turn claim it.
func (b *bundle) order(turn chat.TurnID, text string) chat.TurnCommand {
	b.t.Helper()
	in := b.inbound("c-"+string(turn), text)
	in.Control = true
	_, err := b.Turns.Accept(b.t.Context(), in)
	require.NoError(b.t, err)
	claimed, ok := b.claim(turn)
	require.True(b.t, ok)
	require.True(b.t, claimed.Control)
	o, err := b.Conversations.TurnCommand(b.t.Context(), turn)
	require.NoError(b.t, err)
	return o
}

// rewind is a whole turn that takes messages back.
func (b *bundle) rewind(turn chat.TurnID, back int, to chat.MessageID) (answer string) {
	b.t.Helper()
	b.order(turn, "/rewind")
	require.NoError(b.t, b.Conversations.Rewind(b.t.Context(), turn, back, to))
	b.finish(turn, chat.TurnDone)
	return b.said()[len(b.said())-1]
}

// said returns what stands in the transcript, for people.
func (b *bundle) said() (out []string) {
	b.t.Helper()
	for _, m := range b.transcript().Messages {
		out = append(out, m.Content)
	}
	return out
}

// seen returns what the model reads.
func (b *bundle) seen() (out []string) {
	b.t.Helper()
	w, err := b.Conversations.Window(b.t.Context(), key)
	require.NoError(b.t, err)
	for _, l := range w.Lines {
		out = append(out, l.Message.Content)
	}
	return out
}

// id returns the id of a message by its text.
func (b *bundle) id(text string) (id chat.MessageID) {
	b.t.Helper()
	err := b.pool.QueryRow(b.t.Context(), `SELECT id FROM messages WHERE session_key = $1 AND content = $2 ORDER BY id DESC`, key, text).Scan(&id)
	require.NoError(b.t, err)
	return id
}

func (b *bundle) control(c chat.Control) chat.Control {
	b.t.Helper()
	c, added, err := b.Conversations.AddControl(b.t.Context(), key, c)
	require.NoError(b.t, err)
	require.True(b.t, added)
	return c
}

// compact records a summary for everything up to a message.
func (b *bundle) compact(upto chat.MessageID, summary string) chat.Control {
	b.t.Helper()
	c := b.control(chat.Control{Kind: chat.ControlCompact, Message: upto, Compaction: &chat.Compaction{Summary: summary}})
	_, err := b.pool.Exec(b.t.Context(), `UPDATE sessions SET compaction_id = $1 WHERE key = $2`, c.ID, key)
	require.NoError(b.t, err)
	return c
}

func TestRewind_TakesTheLastMessagesOutForPeopleAndForTheModel(t *testing.T) {
	b := setup(t)
	for i := range 4 {
		b.exchange(chat.TurnID(fmt.Sprint("t", i)), fmt.Sprint("q", i))
	}
	seq := b.transcript().Seq
	answer := b.rewind("r1", 2, 0)
	require.Equal(t, i18n.Say(i18n.English, i18n.Rewound, 2, "q2"), answer)

	require.Equal(t, []string{"q0", "answer to q0", "q1", "answer to q1"}, b.seen())
	require.Equal(t, []string{"q0", "answer to q0", "q1", "answer to q1", "/rewind", answer}, b.said())
	var rewound chat.Rewound
	for _, e := range b.events(seq) {
		if e.Kind == chat.EventRewind {
			require.NoError(t, json.Unmarshal(e.Data, &rewound))
		}
	}
	require.Equal(t, b.id("q2"), rewound.From)
	require.GreaterOrEqual(t, rewound.Upto, b.id("answer to q3"))
	require.Less(t, rewound.Upto, b.id("/rewind"), "the command and its answer stay")

	all, err := b.Conversations.Messages(t.Context(), key, conversation.Page{Limit: 100, Rewound: true})
	require.NoError(t, err)
	require.Len(t, all.Messages, 10, "nothing is deleted")
	for _, m := range all.Messages {
		require.Equal(t, m.ID >= rewound.From && m.ID <= rewound.Upto, m.Rewound, m.Content)
	}

	b.exchange("t9", "q9")
	require.Equal(t, []string{"q0", "answer to q0", "q1", "answer to q1", "q9", "answer to q9"}, b.seen())
	b.rewind("r2", 2, 0)
	require.Equal(t, []string{"q0", "answer to q0"}, b.seen(), "what was taken out is not counted again")
}

func TestRewind_BeginsWithTheMessageThatIsNamed(t *testing.T) {
	b := setup(t)
	for i := range 3 {
		b.exchange(chat.TurnID(fmt.Sprint("t", i)), fmt.Sprint("q", i))
	}
	b.rewind("r1", 0, b.id("q1"))
	require.Equal(t, []string{"q0", "answer to q0"}, b.seen())
}

func TestRewind_RefusesWhatIsNotThereWithASentence(t *testing.T) {
	b := setup(t)
	require.Equal(t, i18n.Say(i18n.English, i18n.RewindNone), b.rewind("r0", 1, 0))
	b.exchange("t0", "q0")
	b.exchange("t1", "q1")
	before := b.seen()

	offered := b.rewind("r1", 3, 0)
	require.True(t, strings.HasPrefix(offered, i18n.Say(i18n.English, i18n.RewindChoose, 2)), offered)
	require.Contains(t, offered, fmt.Sprintf("* `m%d` q1\n* `m%d` q0", b.id("q1"), b.id("q0")))

	require.Equal(t, i18n.Say(i18n.English, i18n.RewindGone, 999999), b.rewind("r2", 0, 999999))
	answer := b.id("answer to q0")
	require.Equal(t, i18n.Say(i18n.English, i18n.RewindNotOne, answer), b.rewind("r3", 0, answer))
	command := b.id("/rewind")
	require.Equal(t, i18n.Say(i18n.English, i18n.RewindNotOne, command), b.rewind("r4", 0, command))
	require.Equal(t, before, b.seen(), "a refusal changes nothing")

	b.rewind("r5", 1, 0)
	gone := b.id("q1")
	require.Equal(t, i18n.Say(i18n.English, i18n.RewindTwice, gone), b.rewind("r6", 0, gone))

	require.Equal(t, fault.Conflict, fault.KindOf(b.Conversations.CheckRewind(t.Context(), key, gone)))
	require.Equal(t, fault.NotFound, fault.KindOf(b.Conversations.CheckRewind(t.Context(), key, 999999)))
	require.NoError(t, b.Conversations.CheckRewind(t.Context(), key, b.id("q0")))
	other := key + "2"
	b.session(other)
	require.Equal(t, fault.NotFound, fault.KindOf(b.Conversations.CheckRewind(t.Context(), other, b.id("q0"))), "messages of another session are none")
}

func TestRewind_RepeatedIsCarriedOutAndAnsweredOnce(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.exchange("t1", "q1")
	b.order("r1", "/rewind")
	for range 3 {
		require.NoError(t, b.Conversations.Rewind(t.Context(), "r1", 1, 0))
	}
	require.Equal(t, []string{"q0", "answer to q0"}, b.seen())
	require.Len(t, b.said(), 4)
	o, err := b.Conversations.TurnCommand(t.Context(), "r1")
	require.NoError(t, err)
	require.True(t, o.Answered)
}

func TestRewind_IsNotDoneAgainByTheTurnThatTakesOverAfterALostRun(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.exchange("t1", "q1")
	b.order("r1", "/rewind")
	require.NoError(t, b.Conversations.Rewind(t.Context(), "r1", 1, 0))
	settled, err := b.Turns.SettleTurn(t.Context(), "r1")
	require.NoError(t, err)
	require.Equal(t, engine.SettledReleased, settled)

	claimed, ok := b.claim("r2")
	require.True(t, ok)
	require.True(t, claimed.Control)
	require.NoError(t, b.Conversations.Rewind(t.Context(), "r2", 1, 0))
	require.Equal(t, []string{"q0", "answer to q0"}, b.seen(), "one message was asked for")
	require.Equal(t, []string{"q0", "answer to q0", "/rewind", i18n.Say(i18n.English, i18n.Rewound, 1, "q1")}, b.said())
}

func TestRewind_OfAClosedTurnChangesNothing(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.order("r1", "/rewind")
	b.finish("r1", chat.TurnStopped)
	require.NoError(t, b.Conversations.Rewind(t.Context(), "r1", 1, 0))
	require.Equal(t, []string{"q0", "answer to q0"}, b.seen())
}

func TestRewind_GoesBackToTheCompactionBeforeTheMessage(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	first := b.compact(b.id("answer to q0"), "first")
	b.exchange("t1", "q1")
	b.exchange("t2", "q2")
	b.compact(b.id("answer to q2"), "second")
	b.exchange("t3", "q3")
	require.Equal(t, []string{"q3", "answer to q3"}, b.seen())

	b.rewind("r1", 2, 0)
	w, err := b.Conversations.Window(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, first.ID, w.Compaction.ID)
	require.Equal(t, []string{"q1", "answer to q1"}, b.seen())

	b.exchange("t4", "q4")
	b.exchange("t5", "q5")
	b.rewind("r2", 1, 0)
	w, err = b.Conversations.Window(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, first.ID, w.Compaction.ID, "a summary of messages that are gone stays gone")

	b.rewind("r3", 0, b.id("q0"))
	w, err = b.Conversations.Window(t.Context(), key)
	require.NoError(t, err)
	require.Nil(t, w.Compaction)
	require.Empty(t, w.Lines)
}

func TestRewind_VoidsTheEditsOfTheTurnsThatAreGone(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.exchange("t1", "q1")
	edited := b.id("q0")
	kept := b.control(chat.Control{Kind: chat.ControlEdit, Message: edited, Turn: "t0", Edit: &chat.Edit{Action: chat.EditTruncate, Message: edited}})
	gone := b.control(chat.Control{Kind: chat.ControlEdit, Message: edited, Turn: "t1", Edit: &chat.Edit{Action: chat.EditDelete, Message: edited}})
	undone := b.control(chat.Control{Kind: chat.ControlEdit, Message: edited, Turn: "t1", Edit: &chat.Edit{Action: chat.EditDelete, Message: edited}})
	b.control(chat.Control{Kind: chat.ControlUndo, Message: edited, Turn: "t1", Undo: undone.ID})
	b.rewind("r1", 1, 0)

	w, err := b.Conversations.Window(t.Context(), key)
	require.NoError(t, err)
	var undos []chat.ControlID
	for _, c := range w.Controls {
		if c.Kind == chat.ControlUndo {
			undos = append(undos, c.Undo)
		}
	}
	require.Equal(t, []chat.ControlID{undone.ID, gone.ID}, undos)
	require.NotContains(t, undos, kept.ID)
}

// plan is a whole turn that writes the to-do list.
func (b *bundle) plan(turn chat.TurnID, text string) {
	b.t.Helper()
	b.send("m-"+string(turn), text)
	_, ok := b.claim(turn)
	require.True(b.t, ok)
	call := chat.ToolCall{
		ID: chat.NewCallID(turn, 0, 0), Name: "todo_write", Class: chat.ClassIdempotent, State: chat.CallOpen,
		Arguments: fmt.Sprintf(`{"todos":[{"text":%q},{"id":"x","text":"rest","done":true}]}`, text),
	}
	_, err := b.Turns.CommitStep(b.t.Context(), b.begin(turn, 0), chat.Answer{Calls: []chat.ToolCall{call}, Finish: "tool_calls"})
	require.NoError(b.t, err)
	require.NoError(b.t, b.Conversations.SetTodos(b.t.Context(), key, planned(text)))
	require.NoError(b.t, b.Calls.FinishCall(b.t.Context(), call.ID, chat.ToolResult{Content: "kept"}))
	b.finish(turn, chat.TurnDone)
}

func planned(text string) []chat.Todo {
	return []chat.Todo{{ID: "1", Text: text}, {ID: "x", Text: "rest", Done: true}}
}

func TestRewind_TakesTheToDoListBackWithTheTurnsThatWroteIt(t *testing.T) {
	b := setup(t)
	b.exchange("t0", "q0")
	b.plan("t1", "first")
	b.plan("t2", "second")
	b.exchange("t3", "q3")
	todos := func(of chat.SessionKey) []chat.Todo {
		list, err := b.Conversations.Todos(t.Context(), of)
		require.NoError(t, err)
		return list
	}
	b.rewind("r1", 1, 0)
	require.Equal(t, planned("second"), todos(key), "nothing that wrote it is gone")

	b.fork(conversation.NewFork{})
	require.Equal(t, planned("second"), todos(copyKey))
	b.fork(conversation.NewFork{Key: copyKey + "-1", Upto: b.id("first")})
	require.Equal(t, planned("first"), todos(copyKey+"-1"))
	b.fork(conversation.NewFork{Key: copyKey + "-0", Upto: b.id("q0")})
	require.Empty(t, todos(copyKey+"-0"), "there was none then")

	seq := b.transcript().Seq
	b.rewind("r2", 1, 0)
	require.Equal(t, planned("first"), todos(key))
	var told []chat.Todo
	for _, e := range b.events(seq) {
		if e.Kind == chat.EventTodos {
			require.NoError(t, json.Unmarshal(e.Data, &told))
		}
	}
	require.Equal(t, planned("first"), told, "open pages learn of it")
	b.rewind("r3", 1, 0)
	require.Empty(t, todos(key))
}
