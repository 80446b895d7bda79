package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/engine"
)

// task makes the n-th call of a turn that is open a background task, and returns the call.
func (b *bundle) task(turn chat.TurnID, n int) chat.CallID {
	b.t.Helper()
	id := chat.NewCallID(turn, 0, n)
	_, err := b.Calls.BeginCall(b.t.Context(), chat.Call{ToolCall: chat.ToolCall{ID: id, State: chat.CallOpen}, Runner: "local"})
	require.NoError(b.t, err)
	require.NoError(b.t, b.Calls.SetStartedOn(b.t.Context(), id, "store-1"))
	require.NoError(b.t, b.Calls.FinishCall(b.t.Context(), id, chat.ToolResult{
		Content: "begun", Background: &chat.Background{Command: "make", Dir: "/src", Runner: "local", StartedAt: time.Now()},
	}))
	return id
}

// working opens a turn with two calls of Shell.
func (b *bundle) working(turn chat.TurnID) {
	b.t.Helper()
	b.send("asks "+string(turn), "work")
	_, ok := b.claim(turn)
	require.True(b.t, ok)
	_, err := b.Turns.CommitStep(b.t.Context(), b.begin(turn, 0), twoCalls(turn))
	require.NoError(b.t, err)
}

func (b *bundle) end(call chat.CallID) bool {
	b.t.Helper()
	ended, err := b.Calls.EndTask(b.t.Context(), call, chat.TaskEnd{
		State: chat.TaskExited, Code: 2, Total: 9, Output: "all of it", Ended: time.Now(), Announcement: "[background task ended]",
	})
	require.NoError(b.t, err)
	return ended
}

func (b *bundle) tasks(after int64) (out []chat.Task) {
	b.t.Helper()
	for _, e := range b.events(after) {
		if e.Kind == chat.EventTask {
			out = append(out, decodeTask(b.t, e))
		}
	}
	return out
}

func TestTask_IsMadeWithTheResultOfItsCall(t *testing.T) {
	b := setup(t)
	b.working("t1")
	first, second := b.task("t1", 0), b.task("t1", 1)
	call, err := b.Calls.Call(t.Context(), second)
	require.NoError(t, err)
	require.Equal(t, chat.CallDone, call.State)
	require.Equal(t, "bg2", call.Task)
	require.Equal(t, "begun\ntask_id: bg2", call.Result)

	run, err := b.Calls.Task(t.Context(), first)
	require.NoError(t, err)
	require.Equal(t, chat.TurnID("t1"), run.Turn)
	require.Equal(t, []string{"bg1", "make", "/src", "local", "store-1"}, []string{run.ID, run.Command, run.Dir, run.Runner, run.StartedOn})
	require.Len(t, b.tasks(0), 2, "each start is told")

	require.NoError(t, b.Calls.FinishCall(t.Context(), first, chat.ToolResult{Content: "late", Background: &chat.Background{Command: "make"}}))
	list, err := b.Calls.Tasks(t.Context(), key)
	require.NoError(t, err)
	require.Len(t, list, 2, "a result that comes late makes no task")
	require.Equal(t, "bg2", list[0].ID, "newest first")
}

func TestTask_EndsOnceAndIsClaimedByATurn(t *testing.T) {
	b := setup(t)
	b.working("t1")
	call := b.task("t1", 0)
	require.True(t, b.end(call))
	require.False(t, b.end(call))
	task, err := b.Calls.FindTask(t.Context(), key, "bg1")
	require.NoError(t, err)
	require.Equal(t, "all of it", task.Output)
	require.Equal(t, 2, task.Code)
	require.Len(t, b.tasks(0), 2)
	require.Empty(t, b.transcript().Queued, "people see what people wrote")

	require.True(t, b.finish("t1", chat.TurnDone), "the end waits for a turn")
	c, ok := b.claim("t2")
	require.True(t, ok)
	require.Equal(t, "[background task ended]", c.Text)
	messages := b.transcript().Messages
	last := messages[len(messages)-1]
	require.Equal(t, chat.OriginBackground, last.Origin)
	require.Equal(t, chat.RoleUser, last.Role)
	require.Empty(t, last.ClientMessageID)
	window, err := b.Conversations.Window(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, "[background task ended]", window.Lines[len(window.Lines)-1].Message.Content, "the model reads it")
	require.False(t, b.finish("t2", chat.TurnDone))
}

func TestTask_AnEndThatTheModelHasReadIsNotAnnounced(t *testing.T) {
	b := setup(t)
	b.working("t1")
	call := b.task("t1", 0)
	b.end(call)
	require.NoError(t, b.Calls.FinishCall(t.Context(), chat.NewCallID("t1", 0, 1), chat.ToolResult{Content: "bg1 · exit code 2", Told: []chat.CallID{call}}))
	require.False(t, b.finish("t1", chat.TurnDone))
	_, ok := b.claim("t2")
	require.False(t, ok)
}

func TestTask_AStopKeepsItsEndAndAFullQueueTakesIt(t *testing.T) {
	b := setup(t)
	b.working("t1")
	call := b.task("t1", 0)
	for n := range engine.MaxQueued {
		b.send(chat.TaskID(n+1), "fills the queue")
	}
	require.True(t, b.end(call))
	_, err := b.Turns.Stop(t.Context(), b.inbound("stop", ""), i18n.English)
	require.NoError(t, err)
	require.True(t, b.finish("t1", chat.TurnStopped), "the end of the task is left")
	c, ok := b.claim("t2")
	require.True(t, ok)
	require.Equal(t, "[background task ended]", c.Text)
	require.False(t, b.finish("t2", chat.TurnDone))
}

func TestTask_AKillIsNotedOnceAndForgottenWithTheEnd(t *testing.T) {
	b := setup(t)
	b.working("t1")
	call := b.task("t1", 0)
	asked, err := b.Calls.KillRequested(t.Context(), call)
	require.NoError(t, err)
	require.False(t, asked)
	for range 2 {
		task, err := b.Calls.AskKill(t.Context(), key, "bg1")
		require.NoError(t, err)
		require.Equal(t, chat.TaskRunning, task.State)
	}
	asked, err = b.Calls.KillRequested(t.Context(), call)
	require.NoError(t, err)
	require.True(t, asked)
	b.end(call)
	task, err := b.Calls.AskKill(t.Context(), key, "1")
	require.NoError(t, err)
	require.Equal(t, chat.TaskExited, task.State, "what has ended is not killed")
	asked, err = b.Calls.KillRequested(t.Context(), call)
	require.NoError(t, err)
	require.False(t, asked)
	for _, id := range []string{"bg2", "", "x", "bg-1", "bg99999999999"} {
		_, err = b.Calls.AskKill(t.Context(), key, id)
		require.Equal(t, fault.NotFound, fault.KindOf(err), id)
	}
}

func TestTask_OfARunningRowIsToBeStartedAgainAndAgain(t *testing.T) {
	b := setup(t)
	b.working("t1")
	call := b.task("t1", 0)
	due := func() []chat.CallID {
		calls, err := b.TasksToStart(t.Context(), time.Minute)
		require.NoError(t, err)
		return calls
	}
	require.Empty(t, due(), "its own activity starts it")
	b.age("background_tasks", "checked_at")
	require.Equal(t, []chat.CallID{call}, due())
	require.Empty(t, due(), "not by two relays at once")
	b.age("background_tasks", "checked_at")
	b.end(call)
	require.Empty(t, due())
}

// age makes the times of all rows an hour older.
func (b *bundle) age(table, column string) {
	b.t.Helper()
	_, err := b.pool.Exec(b.t.Context(), "UPDATE "+table+" SET "+column+" = "+column+" - interval '1 hour'")
	require.NoError(b.t, err)
}

func TestBang_ItsAnswerNamesItsRow(t *testing.T) {
	b := setup(t)
	first, err := b.Turns.AcceptBang(t.Context(), b.inbound("b1", "!sleep 1"), "sleep 1")
	require.NoError(t, err)
	second, err := b.Turns.AcceptBang(t.Context(), b.inbound("b2", "!ls"), "ls")
	require.NoError(t, err)
	for _, id := range []chat.InboxID{second.ID, first.ID} {
		ended, err := b.Turns.EndBang(t.Context(), id, "done")
		require.NoError(t, err)
		require.True(t, ended)
	}
	var rows []chat.InboxID
	for _, m := range b.transcript().Messages {
		rows = append(rows, m.Inbox)
	}
	require.Equal(t, []chat.InboxID{first.ID, second.ID, second.ID, first.ID}, rows)
}

func TestBang_IsShownAtOnceAndAnsweredOnce(t *testing.T) {
	b := setup(t)
	got, err := b.Turns.AcceptBang(t.Context(), b.inbound("b1", "!ls"), "ls")
	require.NoError(t, err)
	again, err := b.Turns.AcceptBang(t.Context(), b.inbound("b1", "!ls"), "ls")
	require.NoError(t, err)
	require.Equal(t, engine.Accepted{ID: got.ID, Duplicate: true}, again)
	_, err = b.Turns.AcceptBang(t.Context(), b.inbound("b1", "!rm"), "rm")
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	_, err = b.Turns.Accept(t.Context(), b.inbound("b1", "!ls"))
	require.Equal(t, fault.Conflict, fault.KindOf(err), "a message of the same id is another thing")

	bang, err := b.Turns.Bang(t.Context(), got.ID)
	require.NoError(t, err)
	require.Equal(t, "ls", bang.Command)
	require.False(t, bang.Done)
	require.NoError(t, b.Turns.SetBangStartedOn(t.Context(), got.ID, "laptop", "store-1"))
	require.NoError(t, b.Turns.SetBangStartedOn(t.Context(), got.ID, "other", "store-2"))
	for n := range 2 {
		ended, err := b.Turns.EndBang(t.Context(), got.ID, "answer")
		require.NoError(t, err)
		require.Equal(t, n == 0, ended)
	}
	bang, err = b.Turns.Bang(t.Context(), got.ID)
	require.NoError(t, err)
	require.True(t, bang.Done)
	require.Equal(t, []string{"laptop", "store-1"}, []string{bang.Runner, bang.StartedOn}, "the first note stands")

	messages := b.transcript().Messages
	require.Len(t, messages, 2)
	require.Equal(t, []string{"!ls", "answer"}, []string{messages[0].Content, messages[1].Content})
	require.Equal(t, []chat.Role{chat.RoleUser, chat.RoleNotice}, []chat.Role{messages[0].Role, messages[1].Role})
	for _, m := range messages {
		require.Equal(t, chat.OriginCommand, m.Origin)
	}
	window, err := b.Conversations.Window(t.Context(), key)
	require.NoError(t, err)
	require.Empty(t, window.Lines, "the model does not see it")
	_, ok := b.claim("t1")
	require.False(t, ok, "it needs no turn")
}

func TestBang_WaitsForItsWorkflowAndWakesNoTurn(t *testing.T) {
	b := setup(t)
	got, err := b.Turns.AcceptBang(t.Context(), b.inbound("b1", "!ls"), "ls")
	require.NoError(t, err)
	due := func() []chat.InboxID {
		ids, err := b.BangsToStart(t.Context())
		require.NoError(t, err)
		return ids
	}
	require.Empty(t, due(), "its ingress starts it")
	b.age("inbox", "woken_at")
	waiting, err := b.ToWake(t.Context())
	require.NoError(t, err)
	require.Empty(t, waiting)
	require.Equal(t, []chat.InboxID{got.ID}, due())
	require.Empty(t, due())
	b.age("inbox", "woken_at")
	_, err = b.Turns.EndBang(t.Context(), got.ID, "answer")
	require.NoError(t, err)
	require.Empty(t, due())
}

func TestBang_TooManyAtOnceAreRefused(t *testing.T) {
	b := setup(t)
	for n := range engine.MaxCommands {
		_, err := b.Turns.AcceptBang(t.Context(), b.inbound(chat.TaskID(n), "!sleep 9"), "sleep 9")
		require.NoError(t, err)
	}
	_, err := b.Turns.AcceptBang(t.Context(), b.inbound("more", "!sleep 9"), "sleep 9")
	require.Equal(t, fault.RateLimited, fault.KindOf(err))
	again, err := b.Turns.AcceptBang(t.Context(), b.inbound("bg1", "!sleep 9"), "sleep 9")
	require.NoError(t, err)
	require.True(t, again.Duplicate, "what was accepted stays accepted")
}

func decodeTask(t *testing.T, e chat.Event) chat.Task {
	t.Helper()
	var task chat.Task
	require.NoError(t, json.Unmarshal(e.Data, &task))
	return task
}
