package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// exec makes a call of a command in a new step of a turn, begun on a runner.
func (b *bundle) exec(turn chat.TurnID, n int, runner string) chat.CallID {
	b.t.Helper()
	id := chat.NewCallID(turn, n, 0)
	_, err := b.Turns.CommitStep(b.t.Context(), b.begin(turn, n), chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{
		{ID: id, Name: "Shell", Class: chat.ClassExec, Arguments: "{}", State: chat.CallOpen},
	}})
	require.NoError(b.t, err)
	call, err := b.Calls.Call(b.t.Context(), id)
	require.NoError(b.t, err)
	call.Runner = runner
	began, err := b.Calls.BeginCall(b.t.Context(), call)
	require.NoError(b.t, err)
	require.True(b.t, began)
	return id
}

func TestSetStartedOn_RefusesToSendACallThatHasItsResult(t *testing.T) {
	b := setup(t)
	b.send("m1", "build")
	b.claim("t1")
	id := b.exec("t1", 0, "local")
	_, err := b.Turns.SettleTurn(t.Context(), "t1")
	require.NoError(t, err)
	err = b.Calls.SetStartedOn(t.Context(), id, "store")
	require.True(t, fault.Is(err, fault.Conflict), "nobody would follow the command: %v", err)
}

func TestSetStartedOn_TheFirstNoteStandsAndARepetitionIsNoError(t *testing.T) {
	b := setup(t)
	b.send("m1", "build")
	b.claim("t1")
	id := b.exec("t1", 0, "local")
	for _, store := range []string{"first", "second"} {
		require.NoError(t, b.Calls.SetStartedOn(t.Context(), id, store))
	}
	call, err := b.Calls.Call(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "first", call.StartedOn)
}

func TestSettleTurn_WaitsForANoteOfACommandThatIsBeingSent(t *testing.T) {
	b := setup(t)
	b.send("m1", "build")
	b.claim("t1")
	id := b.exec("t1", 0, "local")
	tx, err := b.pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }() // it was committed
	_, err = tx.Exec(t.Context(), "UPDATE tool_calls SET started_on = 'store' WHERE id = $1", id)
	require.NoError(t, err)
	settled := make(chan error, 1)
	go func() {
		_, err := b.Turns.SettleTurn(context.WithoutCancel(t.Context()), "t1")
		settled <- err
	}()
	require.Eventually(t, func() bool {
		var waiting int
		err := b.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
		return err == nil && waiting == 1
	}, 10*time.Second, 10*time.Millisecond)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-settled)
	kills, err := b.Calls.OpenKills(t.Context(), []string{"local"})
	require.NoError(t, err)
	require.Equal(t, map[string][]chat.CallID{"local": {id}}, kills)
}

func TestAbandonCall_HasItsCommandKilledAndAStoppedTurnSaysSo(t *testing.T) {
	b := setup(t)
	b.send("m1", "build")
	b.claim("t1")
	sent := b.exec("t1", 0, "local")
	require.NoError(t, b.Calls.SetStartedOn(t.Context(), sent, "store"))
	unsent := b.exec("t1", 1, "local")
	for _, id := range []chat.CallID{sent, unsent} {
		require.NoError(t, b.Calls.AbandonCall(t.Context(), id, chat.ToolResult{Content: "unknown", IsError: true}))
	}
	kills, err := b.Calls.OpenKills(t.Context(), []string{"local"})
	require.NoError(t, err)
	require.Equal(t, map[string][]chat.CallID{"local": {sent}}, kills)
	require.True(t, fault.Is(b.Calls.SetStartedOn(t.Context(), unsent, "store"), fault.Conflict), "it must not start any more")
	_, err = b.Turns.FinishTurn(t.Context(), key, "t1", chat.TurnStopped, i18n.Stopped)
	require.NoError(t, err)
	messages := b.transcript().Messages
	require.Contains(t, messages[len(messages)-1].Content, i18n.Say(i18n.English, i18n.StillKilled, 1))
}

func TestDeleteSession_NotesTheKillOfWhatRunsInIt(t *testing.T) {
	b := setup(t)
	b.send("m1", "build")
	b.claim("t1")
	task := b.exec("t1", 0, "laptop")
	require.NoError(t, b.Calls.SetStartedOn(t.Context(), task, "store"))
	result := chat.ToolResult{Content: "goes on", Background: &chat.Background{Command: "make", Runner: "laptop", StartedAt: inAnHour()}}
	require.NoError(t, b.Calls.FinishCall(t.Context(), task, result))
	call := b.exec("t1", 1, "local")
	require.NoError(t, b.Calls.SetStartedOn(t.Context(), call, "store"))
	unsent := b.exec("t1", 2, "local")
	bang, err := b.Turns.AcceptBang(t.Context(), b.inbound("m2", "!make"), "make")
	require.NoError(t, err)
	require.NoError(t, b.Turns.SetBangStartedOn(t.Context(), bang.ID, "laptop", "store"))

	require.NoError(t, b.Agents.DeleteSession(t.Context(), key))
	laptop := fmt.Sprintf("%d/laptop", b.user.ID)
	kills, err := b.Calls.OpenKills(t.Context(), []string{"local", laptop})
	require.NoError(t, err)
	require.Equal(t, []chat.CallID{call}, kills["local"])
	require.ElementsMatch(t, []chat.CallID{task, chat.Bang{Inbox: bang.ID}.ExecID()}, kills[laptop])
	require.True(t, fault.Is(b.Calls.SetStartedOn(t.Context(), unsent, "store"), fault.Conflict), "it must not start any more")
	require.True(t, fault.Is(b.Turns.SetBangStartedOn(t.Context(), bang.ID, "laptop", "store"), fault.Conflict))
}
