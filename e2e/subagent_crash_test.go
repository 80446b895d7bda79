package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

// points are where the server is killed on the way of a task: while it is written, before the subagent begins, before its model has
// answered, and while its answer is given to who asked.
var points = []struct{ name, when, condition string }{
	{"the task is written", "BEFORE INSERT ON subagent_tasks", "true"},
	{"the subagent begins", "BEFORE INSERT ON turns", "NEW.session_key LIKE 'agent:%:subagent:%'"},
	{"its step is committed", "BEFORE INSERT ON tool_calls", "NEW.session_key LIKE 'agent:%:subagent:%'"},
	{"its answer is given", "BEFORE UPDATE ON subagent_tasks", "NEW.outcome <> ''"},
}

// killedAt kills the server where a statement waits, which undoes its transaction, and starts it again.
func (k *talk) killedAt(point struct{ name, when, condition string }, meanwhile func()) {
	k.t.Helper()
	for _, table := range []string{"subagent_tasks", "turns", "tool_calls", "subagents", "group_chats", "group_lines"} {
		_, err := k.look().Exec(k.t.Context(), "DROP TRIGGER IF EXISTS wait_for_test ON "+table)
		require.NoError(k.t, err)
	}
	h := k.held(point.when, point.condition)
	meanwhile()
	h.waits(1)
	k.crash()
	h.release()
	k.boot()
}

// handedIn counts what one conversation has handed out, and the turns of its subagents.
func (k *talk) handedIn() (agents, tasks, turns int) {
	k.t.Helper()
	row := k.look().QueryRow(k.t.Context(), `SELECT count(DISTINCT a.session_key), count(DISTINCT t.call_id), count(DISTINCT u.id)
		FROM subagents a JOIN subagent_tasks t ON t.session_key = a.session_key LEFT JOIN turns u ON u.session_key = a.session_key WHERE a.root = $1`, k.key)
	require.NoError(k.t, row.Scan(&agents, &tasks, &turns))
	return agents, tasks, turns
}

func TestSubagent_AKillAtAnyPointLeavesEachAnswerOfThreeAtOnceOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, point := range points {
		k := s.newTalk()
		var program []string
		for i := range 3 {
			program = append(program, k.subagent(args{"role": "coder"}, k.shell("echo %d >> %s", i, k.file("trace")), fmt.Sprintf("say found %d", i)))
		}
		var id chat.InboxID
		k.killedAt(point, func() { id = k.send(append(program, "say all done")...) })
		require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State, point.name)
		for i, call := range lastCalls(k) {
			require.Equal(t, fmt.Sprintf("[coder answered]\nfound %d", i), call.Result, point.name)
		}
		require.ElementsMatch(t, []string{"0", "1", "2"}, k.trace("trace"), point.name)
		agents, tasks, turns := k.handedIn()
		require.Equal(t, []int{3, 3, 3}, []int{agents, tasks, turns}, point.name)
		require.Empty(t, k.told(), "%s: an answer was told beside the result", point.name)
		k.wellFormed()
	}
}

func TestSubagent_AKillAtAnyPointLeavesEachAnswerOfOneThatStaysOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, point := range points {
		k := s.newTalk()
		k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "coder", "instance": "a"}, k.shell("echo 1 >> %s", k.file("trace")), "say first"), "say ok"))
		send := k.subagent(args{"role": "coder", "instance": "a", "action": "send"}, k.shell("echo 2 >> %s", k.file("trace")), "say second")
		var id chat.InboxID
		k.killedAt(point, func() { id = k.send(send, "say ok") })
		require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State, point.name)
		require.Equal(t, "[coder:a answered]\nsecond", lastCalls(k)[0].Result, point.name)
		require.Equal(t, []string{"1", "2"}, k.trace("trace"), point.name)
		agents, tasks, turns := k.handedIn()
		require.Equal(t, []int{1, 2, 2}, []int{agents, tasks, turns}, point.name)
	}
}

func TestSubagent_AKillAtAnyPointLeavesAnAnswerInTheBackgroundToldOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, point := range points {
		k := s.newTalk()
		var id chat.InboxID
		k.killedAt(point, func() {
			id = k.send(k.subagent(args{"role": "coder", "background": true}, k.shell("echo x >> %s", k.file("trace")), "say built"), "say started")
		})
		require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State, point.name)
		require.Equal(t, []string{"[subagent coder answered]\nbuilt"}, k.untilTold(1), point.name)
		require.Len(t, k.trace("trace"), 1, point.name)
		agents, tasks, turns := k.handedIn()
		require.Equal(t, []int{1, 1, 1}, []int{agents, tasks, turns}, point.name)
		k.wellFormed()
	}
}
