package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/sessions"
	"xbot/internal/chat"
)

// hired makes a subagent of a session whose turn t1 runs.
func (b *bundle) hired(key chat.SessionKey, instance string) chat.SessionKey {
	b.t.Helper()
	handed, err := b.store.Agents.AssignTask(b.t.Context(), chat.SubagentTask{
		Call: chat.CallID("t1.0." + instance), Session: key, Turn: "t1", Role: "coder", Instance: instance, Text: "do it", New: &chat.NewSubagent{},
	})
	require.NoError(b.t, err)
	return handed.Subagent.Session
}

func TestSubagents_OneThatAnswersOnceIsReadOnlyWhenItHas(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	for instance, want := range map[string]int{"": http.StatusConflict, "a": http.StatusAccepted} {
		agent, turn := b.hired(s.Key, instance), chat.TurnID("s"+instance)
		b.claim(agent, turn)
		b.alice.say(agent, "early"+instance, "mind the tests").is(http.StatusAccepted, nil)
		b.alice.delete(path(agent, "/turn")).is(http.StatusAccepted, nil) // clears what waits
		b.reply(agent, turn, "done")
		b.finish(agent, turn)

		late := b.alice.say(agent, "late"+instance, "and now?")
		if late.is(want, nil); want == http.StatusConflict {
			require.Contains(t, late.problem(want), "answers once")
		}
		b.alice.say(agent, "early"+instance, "mind the tests").is(http.StatusAccepted, nil)
		b.bob.say(agent, "other", "hello").problem(http.StatusNotFound)
		var shown chat.Session
		b.alice.get(path(agent, "")).is(http.StatusOK, &shown)
		require.Equal(t, instance == "", shown.Once)
	}
}

func TestTasks_AllAreListedShownAndStopped(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	handed, err := b.store.Agents.AssignTask(t.Context(), chat.SubagentTask{
		Call: "t1.0.0", Session: s.Key, Turn: "t1", Role: "coder", Instance: "a", Text: "do it", Background: true, New: &chat.NewSubagent{},
	})
	require.NoError(t, err)
	b.claim(handed.Subagent.Session, "s1")
	var list sessions.TasksBody
	b.alice.get(path(s.Key, "/tasks")).is(http.StatusOK, &list)
	require.Empty(t, list.Tasks)
	b.alice.get(path(s.Key, "/tasks?all=true")).is(http.StatusOK, &list)
	require.Len(t, list.Tasks, 1)
	require.Equal(t, []any{"coder:a", chat.TaskSubagent, chat.TaskRunning}, []any{list.Tasks[0].ID, list.Tasks[0].Kind, list.Tasks[0].State})
	b.bob.get(path(s.Key, "/tasks?all=true")).problem(http.StatusNotFound)
	b.bob.post(path(s.Key, "/tasks/coder:a/kill"), nil).problem(http.StatusNotFound)

	var one chat.Task
	b.alice.post(path(s.Key, "/tasks/coder:a/kill"), nil).is(http.StatusAccepted, &one)
	require.Equal(t, "coder:a", one.ID)
	stop, err := b.store.Turns.StopRequested(t.Context(), handed.Subagent.Session, "s1")
	require.NoError(t, err)
	require.True(t, stop)
	_, err = b.store.Turns.FinishTurn(t.Context(), handed.Subagent.Session, "s1", chat.TurnStopped, "")
	require.NoError(t, err)
	b.alice.get(path(s.Key, "/tasks/coder:a")).is(http.StatusOK, &one)
	require.Equal(t, "stopped", one.How)
	require.Contains(t, one.Output, "[subagent coder:a was stopped before it answered]")
}

func TestWatch_OfASubagentTellsWhatGoesOnInItsTree(t *testing.T) {
	b := setup(t)
	s := b.alice.session("agent:main:web:thread:mine")
	first := b.hired(s.Key, "a")
	page := b.alice.sse(first, "")
	page.hello()
	heard := func(what string) {
		t.Helper()
		require.Equal(t, chat.EventBelow, page.next().Kind, what)
	}
	second := b.hired(s.Key, "b")
	heard("another one is there")
	b.claim(second, "s2")
	heard("it works")
}
