package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
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
	s, err := k.client.GetSession(k.t.Context(), k.key)
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
		program = append(program, k.subagent(args{"role": "explorer"}, k.shell("echo %d >> %s; while [ $(wc -l < %[2]s) -lt 3 ]; do sleep 0.05; done", i, k.file("trace")), fmt.Sprintf("say found %d", i)))
	}
	turn := k.untilEnded(crashLimit, k.send(append(program, "say all done")...)) // each waits for the others
	require.Equal(t, chat.TurnDone, turn.State)
	for i, call := range lastCalls(k) {
		require.Equal(t, chat.ClassAgent, call.Class)
		require.Equal(t, fmt.Sprintf("[explorer answered]\nfound %d", i), call.Result)
	}
	require.ElementsMatch(t, []string{"0", "1", "2"}, k.trace("trace"))
	agents, tasks, turns := k.handed()
	require.Equal(t, []int{3, 3, 3}, []int{agents, tasks, turns})
	sessions, err := k.client.ListSessions(t.Context(), apiclient.ListSessionsParams{})
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

func TestSubagent_AStopEndsThoseInTheBackgroundTooAndSaysHowMany(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	below := k.subagent(args{"role": "coder"}, k.shell("echo begun >> %s; sleep 61; echo x >> %s", k.file("deep"), k.file("never")), "say never")
	k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "planner", "instance": "a", "background": true}, below, "say built"), "say started"))
	id := k.send(k.subagent(args{"role": "coder"}, k.shell("echo begun >> %s; sleep 60; echo x >> %s", k.file("begun"), k.file("never")), "say never"), "say never")
	require.Eventually(t, func() bool { return len(k.trace("begun")) == 1 && len(k.trace("deep")) == 1 }, time.Minute, 20*time.Millisecond)
	k.send("/stop")
	require.Equal(t, chat.TurnStopped, k.untilEnded(time.Minute, id).State)
	require.Contains(t, k.notices(), "Stopping the turn. Subagents that are stopped: 3.")
	require.Contains(t, lastCalls(k)[0].Result, "coder was stopped before it answered")
	require.Eventually(t, func() bool {
		return len(find(t, "sleep 60", k.file("never"))) == 0 && len(find(t, "sleep 61", k.file("never"))) == 0 && k.works() == 0
	}, time.Minute, 50*time.Millisecond, "a subagent still works")
	require.Empty(t, k.told(), "being told of the stop must not begin a turn")
	k.untilEnded(time.Minute, k.send("say ok"))
	require.Equal(t, []string{"[subagent planner:a was stopped before it answered]\nA person stopped it."}, k.told(), "the model learns of it with the next message")
	require.Empty(t, k.trace("never"))
	k.send("/stop")
	require.Eventually(t, func() bool { return k.lastNotice() == "Nothing was running." }, time.Minute, 50*time.Millisecond)
	k.wellFormed()
}

func TestSubagent_AStopBetweenTurnsEndsWhatWorksInTheBackground(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "coder", "background": true}, k.shell("echo begun >> %s; sleep 60; echo x >> %s", k.file("begun"), k.file("never")), "say never"), "say started"))
	require.Eventually(t, func() bool { return len(k.trace("begun")) == 1 }, time.Minute, 20*time.Millisecond)
	k.send("/stop")
	require.Eventually(t, func() bool { return k.lastNotice() == "Subagents that are stopped: 1." }, time.Minute, 50*time.Millisecond)
	require.Eventually(t, func() bool { return len(find(t, "sleep 60", k.file("never"))) == 0 && k.works() == 0 }, time.Minute, 50*time.Millisecond)
	require.Empty(t, k.told())
	require.Empty(t, k.trace("never"))
}

// works counts the turns that subagents are at.
func (k *talk) works() (n int) {
	k.t.Helper()
	require.NoError(k.t, k.look().QueryRow(k.t.Context(), `SELECT count(*) FROM turns t JOIN subagents a ON a.session_key = t.session_key WHERE t.state = 'running'`).Scan(&n))
	return n
}

func TestSubagent_WhoseRunIsTerminatedIsReportedAsLost(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send(k.subagent(args{"role": "coder", "instance": "a"}, k.shell("echo begun >> %s; sleep 60", k.file("begun")), "say never"), "say went on")
	require.Eventually(t, func() bool { return len(k.trace("begun")) == 1 }, time.Minute, 20*time.Millisecond)
	require.NoError(t, k.temporal().TerminateWorkflow(t.Context(), "subagent/"+string(k.key)+"/coder:a", "", "test"))
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Contains(t, lastCalls(k)[0].Result, "coder:a was lost")
	require.True(t, lastCalls(k)[0].IsError)
	k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "coder", "instance": "a", "action": "send"}, "say back"), "say ok"))
	require.Equal(t, "[coder:a answered]\nback", lastCalls(k)[0].Result)
}

func TestSubagent_AsksThePersonOfTheConversation(t *testing.T) {
	t.Parallel()
	k := newServer(t, "XBOT_TOOL_RULES=Shell=ask").newTalk()
	id := k.send(k.subagent(args{"role": "coder"}, k.shell("echo x >> %s", k.file("trace")), "say did it"), "say done")
	k.until(time.Minute, "the question of the subagent", func(e chat.Event) bool {
		return e.Kind == chat.EventMessage && strings.Contains(decode[chat.Message](t, e).Content, "Subagent coder asks whether it may run Shell")
	})
	k.send("/approve")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Equal(t, "[coder answered]\ndid it", lastCalls(k)[0].Result)
	require.Len(t, k.trace("trace"), 1)
}

func TestSubagent_LimitsAreRefusalsThatTheModelReads(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.inForce(`{limits: {subagents: {depth: 1, perTurn: 2}}}`)
	k := s.newTalk()
	deep := k.subagent(args{"role": "coder"}, k.subagent(args{"role": "coder"}, "say deep"), "say tried")
	one := k.subagent(args{"role": "explorer"}, "say one")
	k.untilEnded(time.Minute, k.send("each", deep, one, one, "say done"))
	results := k.results()
	require.Len(t, results, 3)
	require.Equal(t, "[coder answered]\ntried", results[0])
	require.Equal(t, "[explorer answered]\none", results[1])
	require.Contains(t, results[2], "no turn may hand out more")
	var refused string
	require.NoError(t, k.look().QueryRow(t.Context(), `SELECT result FROM tool_calls WHERE session_key LIKE 'agent:%:subagent:%' AND name = 'SubAgent'`).Scan(&refused))
	require.Contains(t, refused, "there is no tool named \"SubAgent\"", "the last level is not offered it")

	s.inForce(`{limits: {subagents: {tokens: 1000}}}`)
	dear := k.subagent(args{"role": "coder"}, "usage 900 200", `call Glob {"pattern":"*"}`, "say never")
	k.untilEnded(time.Minute, k.send("each", dear, one, "say done"))
	results = k.results()
	require.Contains(t, results[len(results)-2], "[coder failed]\nThis subagent was ended")
	require.Contains(t, results[len(results)-1], "have taken")
	k.untilEnded(time.Minute, k.send(one, "say done"))
	require.Equal(t, "[explorer answered]\none", lastCalls(k)[0].Result, "another request has a budget of its own")
}

func TestSubagent_HasNoToolsThatWhoHandsItWorkLacks(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	nested := k.subagent(args{"role": "coder"}, `call FileCreate {"path":"x","content":"x"}`, `call Glob {"pattern":"none"}`, "say tried")
	k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "planner"}, nested, "say planned"), "say done"))
	outcome := func(tool string) (result string) {
		require.NoError(t, k.look().QueryRow(t.Context(), `SELECT result FROM tool_calls WHERE name = $1`, tool).Scan(&result))
		return result
	}
	require.Contains(t, outcome("FileCreate"), "there is no tool named")
	require.NotContains(t, outcome("Glob"), "there is no tool named")
}

func TestSubagent_HasTheToolsOfItsRoleAndAsksNobody(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "explorer"}, `call FileCreate {"path":"x","content":"x"}`, `call AskUser {"questions":[]}`, `call SubAgent {"action":"list"}`, "say ok"), "say done"))
	rows, err := k.look().Query(t.Context(), `SELECT result FROM tool_calls WHERE session_key LIKE 'agent:%:subagent:%'`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var result string
		require.NoError(t, rows.Scan(&result))
		require.Contains(t, result, "there is no tool named")
	}
	require.Equal(t, int64(3), rows.CommandTag().RowsAffected())
	require.NoError(t, rows.Err())
	for _, r := range k.model.Requests() {
		if strings.Contains(r.System, "Another agent has handed you a task") {
			require.Contains(t, r.System, "You explore.")
		}
	}
}
