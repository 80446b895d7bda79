package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

// subagent is a call that hands a task to an agent: a program of the scripted model.
func (k *talk) subagent(arguments map[string]any, program ...string) string {
	k.t.Helper()
	if len(program) > 0 {
		arguments["task"] = strings.Join(program, "\n")
	}
	data, err := json.Marshal(arguments)
	require.NoError(k.t, err)
	return "call SubAgent " + string(data)
}

type args = map[string]any

// told are the answers of subagents that the session was told, as their first lines.
func (k *talk) told() (out []string) {
	k.t.Helper()
	for _, m := range k.transcript().Messages {
		if m.Origin == chat.OriginSubagent {
			out = append(out, m.Content)
		}
	}
	return out
}

// untilTold waits until the session was told so many answers, and has answered to them.
func (k *talk) untilTold(n int) []string {
	k.t.Helper()
	require.Eventually(k.t, func() bool {
		all := k.transcript()
		return len(k.told()) >= n && len(all.Queued) == 0 && k.session().Running == ""
	}, time.Minute, 50*time.Millisecond, "answers of subagents")
	return k.told()
}

func (k *talk) session() chat.Session {
	k.t.Helper()
	s, err := k.client.Session(k.t.Context(), k.key)
	require.NoError(k.t, err)
	return s
}

// handed counts what was handed out in all, and how often subagents have asked the model.
func (k *talk) handed() (agents, tasks, turns int) {
	k.t.Helper()
	row := k.look().QueryRow(k.t.Context(), `SELECT (SELECT count(*) FROM subagents), (SELECT count(*) FROM subagent_tasks),
		(SELECT count(*) FROM turns t JOIN subagents a ON a.session_key = t.session_key)`)
	require.NoError(k.t, row.Scan(&agents, &tasks, &turns))
	return agents, tasks, turns
}

func TestSubagent_OneShotsRunTogetherAndTheirAnswersAreTheResults(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	var program []string
	for i := range 3 {
		program = append(program, k.subagent(args{"role": "explorer"}, k.shell("sleep 2; echo %d >> %s", i, k.file("trace")), fmt.Sprintf("say found %d", i)))
	}
	began := time.Now()
	turn := k.untilEnded(time.Minute, k.send(append(program, "say all done")...))
	require.Equal(t, chat.TurnDone, turn.State)
	require.Less(t, time.Since(began), 6*time.Second, "they ran one after another")
	for i, call := range lastCalls(k) {
		require.Equal(t, chat.ClassAgent, call.Class)
		require.Equal(t, fmt.Sprintf("[explorer answered]\nfound %d", i), call.Result)
	}
	require.ElementsMatch(t, []string{"0", "1", "2"}, k.trace("trace"))
	agents, tasks, turns := k.handed()
	require.Equal(t, []int{3, 3, 3}, []int{agents, tasks, turns})
	sessions, err := k.client.Sessions(t.Context(), "")
	require.NoError(t, err)
	require.Len(t, sessions, 1, "conversations of subagents are not listed")
}

func TestSubagent_InTheBackgroundTellsItsAnswer(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send(k.subagent(args{"role": "coder", "background": true}, k.shell("sleep 1; echo x >> %s", k.file("trace")), "say built"), "say started")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State, "the turn does not wait for it")
	require.Contains(t, lastCalls(k)[0].Result, "coder works on it")
	require.Equal(t, []string{"[subagent coder answered]\nbuilt"}, k.untilTold(1))
	require.Len(t, k.trace("trace"), 1)
	k.wellFormed()
}

func TestSubagent_WithAnInstanceKeepsItsConversation(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "planner", "instance": "a"}, "say a plan"), "say ok"))
	require.Equal(t, "[planner:a answered]\na plan", lastCalls(k)[0].Result)
	again := k.subagent(args{"role": "planner", "instance": "a"}, "say again")
	k.untilEnded(time.Minute, k.send(again, "say ok"))
	require.Contains(t, lastCalls(k)[0].Result, "planner:a is there already")
	for range 2 {
		k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "planner", "instance": "a", "action": "send"}, "say more"), "say ok"))
		require.Equal(t, "[planner:a answered]\nmore", lastCalls(k)[0].Result)
	}
	k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "planner", "instance": "a", "action": "unload"}), "say ok"))
	require.Contains(t, lastCalls(k)[0].Result, "is unloaded")
	k.untilEnded(time.Minute, k.send(k.subagent(args{"action": "list"}), "say ok"))
	require.Contains(t, lastCalls(k)[0].Result, "planner:a · unloaded")
	k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "planner", "instance": "a", "action": "send"}, "say revived"), "say ok"))
	require.Equal(t, "[planner:a answered]\nrevived", lastCalls(k)[0].Result)
	k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "planner", "instance": "a", "action": "inspect", "tail": 20}), "say ok"))
	require.Contains(t, lastCalls(k)[0].Result, "a plan")
	require.Contains(t, lastCalls(k)[0].Result, "revived")
	agents, tasks, turns := k.handed()
	require.Equal(t, []int{1, 4, 4}, []int{agents, tasks, turns})
}
