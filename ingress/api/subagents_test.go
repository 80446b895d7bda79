package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

// hired makes a subagent of a session whose turn t1 runs.
func (b *bundle) hired(key chat.SessionKey, instance string) chat.SessionKey {
	b.t.Helper()
	handed, err := b.store.HandTask(b.t.Context(), chat.SubagentTask{
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
			require.Contains(t, late.problem(want), "there for one answer")
		}
		b.alice.say(agent, "early"+instance, "mind the tests").is(http.StatusAccepted, nil)
		b.bob.say(agent, "other", "hello").problem(http.StatusNotFound)
		var shown chat.Session
		b.alice.get(path(agent, "")).is(http.StatusOK, &shown)
		require.Equal(t, instance == "", shown.Once)
	}
}
