package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/sessions"
	"xbot/internal/chat"
)

// task gives a session a background task.
func (b *bundle) task(key chat.SessionKey) chat.CallID {
	b.t.Helper()
	b.claim(key, "t1")
	step := chat.Step{Session: key, Turn: "t1"}
	_, _, _, err := b.store.Turns.BeginStep(b.t.Context(), step)
	require.NoError(b.t, err)
	call := chat.ToolCall{ID: "t1.0.0", Name: "Shell", Class: chat.ClassExec, State: chat.CallOpen}
	_, err = b.store.Turns.CommitStep(b.t.Context(), step, chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{call}})
	require.NoError(b.t, err)
	require.NoError(b.t, b.store.Calls.FinishCall(b.t.Context(), call.ID, chat.ToolResult{
		Background: &chat.Background{Command: "make", Runner: "local", StartedAt: time.Now()},
	}))
	_, err = b.store.Turns.FinishTurn(b.t.Context(), key, "t1", chat.TurnDone, "")
	require.NoError(b.t, err)
	return call.ID
}

func TestTasks_AreListedShownAndKilledByTheirOwnerOnly(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	at := "/api/sessions/" + string(s.Key) + "/tasks"
	var list sessions.TasksBody
	b.do(b.alice, http.MethodGet, at, nil).is(http.StatusOK, &list)
	require.NotNil(t, list.Tasks)
	require.Empty(t, list.Tasks)

	b.alice.say(s.Key, "m1", "work").is(http.StatusAccepted, nil)
	call := b.task(s.Key)
	var task chat.Task
	b.do(b.alice, http.MethodGet, at+"/bg1", nil).is(http.StatusOK, &task)
	require.Equal(t, "make", task.Command)
	require.Equal(t, chat.TaskRunning, task.State)
	for method, path := range map[string]string{http.MethodGet: at + "/bg1", http.MethodPost: at + "/bg1/kill"} {
		b.do(b.bob, method, path, nil).problem(http.StatusNotFound)
	}
	b.do(b.alice, http.MethodGet, at+"/bg2", nil).problem(http.StatusNotFound)
	b.do(b.alice, http.MethodPost, at+"/x/kill", nil).problem(http.StatusNotFound)
	b.do(b.alice, http.MethodDelete, "/api/sessions/"+string(s.Key), nil).problem(http.StatusConflict)

	for range 2 {
		b.do(b.alice, http.MethodPost, at+"/bg1/kill", nil).is(http.StatusAccepted, &task)
	}
	require.Equal(t, "bg1", task.ID)
	asked, err := b.store.Calls.KillRequested(t.Context(), call)
	require.NoError(t, err)
	require.True(t, asked, "it is noted although no runner can be reached")
	_, err = b.store.Calls.EndTask(t.Context(), call, chat.TaskEnd{State: chat.TaskKilled, Output: "half of it", Ended: time.Now()})
	require.NoError(t, err)
	b.do(b.alice, http.MethodGet, at+"/bg1", nil).is(http.StatusOK, &task)
	require.Equal(t, "half of it", task.Output)
	b.do(b.alice, http.MethodGet, at, nil).is(http.StatusOK, &list)
	require.Empty(t, list.Tasks[0].Output)
	b.do(b.alice, http.MethodDelete, "/api/sessions/"+string(s.Key), nil).is(http.StatusNoContent, nil)
}
