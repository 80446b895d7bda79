package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/workflows"
)

// stay makes coder:a, which works on nothing.
func (k *talk) stay() {
	k.t.Helper()
	k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "coder", "instance": "a"}, "say first"), "say ok"))
}

func TestSubagent_AKillWhileItIsInterruptedStopsItOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, point := range []struct{ name, when, condition string }{
		{"the stop is written", "BEFORE INSERT ON inbox", "NEW.kind = 'stop' AND NEW.account = 'subagent'"},
		{"the call gets its result", "BEFORE UPDATE ON tool_calls", "NEW.class = 'agent' AND NEW.state = 'done'"},
		{"it says that it was stopped", "BEFORE UPDATE ON subagent_tasks", "NEW.outcome = 'stopped'"},
	} {
		k := s.newTalk()
		k.untilEnded(time.Minute, k.send(
			k.subagent(args{"role": "coder", "instance": "a", "background": true}, k.shell("echo begun >> %s; sleep 600; echo x >> %s", k.file("begun"), k.file("never")), "say never"), "say ok"))
		require.Eventually(t, func() bool { return len(k.trace("begun")) == 1 }, time.Minute, 20*time.Millisecond, point.name)
		var id chat.InboxID
		k.killedAt(point, func() {
			id = k.send(k.subagent(args{"role": "coder", "instance": "a", "action": "interrupt"}), "say ok")
		})
		require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State, point.name)
		told := k.untilTold(1)
		require.Len(t, told, 1, point.name)
		require.Contains(t, told[0], "[subagent coder:a was stopped before it answered]", point.name)
		var stops int
		require.NoError(t, k.look().QueryRow(t.Context(), `SELECT count(*) FROM inbox i JOIN subagents a ON a.session_key = i.session_key WHERE a.root = $1 AND i.kind = 'stop'`, k.key).Scan(&stops))
		require.Equal(t, 1, stops, point.name)
		require.Eventually(t, func() bool { return len(find(t, "sleep 600", k.file("never"))) == 0 }, crashLimit, 50*time.Millisecond, "%s: its command still runs", point.name)
		k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "coder", "instance": "a", "action": "send"}, "say more"), "say ok"))
		require.Equal(t, "[coder:a answered]\nmore", lastCalls(k)[0].Result, point.name)
		k.wellFormed()
	}
}

func TestSubagent_AKillWhileItIsUnloadedLeavesItUnloadedAndWhole(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, point := range []struct{ name, when, condition string }{
		{"it is unloaded", "BEFORE UPDATE ON subagents", "NEW.unloaded_at IS NOT NULL AND OLD.unloaded_at IS NULL"},
		{"the call gets its result", "BEFORE UPDATE ON tool_calls", "NEW.class = 'agent' AND NEW.state = 'done'"},
	} {
		k := s.newTalk()
		k.stay()
		var id chat.InboxID
		k.killedAt(point, func() { id = k.send(k.subagent(args{"role": "coder", "instance": "a", "action": "unload"}), "say ok") })
		require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State, point.name)
		require.Contains(t, lastCalls(k)[0].Result, "coder:a is unloaded", point.name)
		workflow := workflows.SubagentID(chat.SubagentRef{Parent: k.key, Role: "coder", Instance: "a"})
		require.NoError(t, k.temporal().GetWorkflow(t.Context(), workflow, "").Get(t.Context(), nil), "%s: nobody holds it", point.name)
		all, err := k.client.ListSubagents(t.Context(), k.key)
		require.NoError(t, err)
		require.Len(t, all, 1)
		require.Equal(t, chat.SubagentUnloaded, all[0].State, point.name)
		k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "coder", "instance": "a", "action": "send"}, "say more"), "say ok"))
		require.Equal(t, "[coder:a answered]\nmore", lastCalls(k)[0].Result, point.name)
		agents, tasks, turns := k.handedIn()
		require.Equal(t, []int{1, 2, 2}, []int{agents, tasks, turns}, point.name)
	}
}

func TestGroup_AKillWhileItEndsTellsItsEndOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for _, point := range []struct{ name, when, condition string }{
		{"its last line is written", "BEFORE INSERT ON group_lines", "NEW.seq = 2"},
		{"it ends", "BEFORE UPDATE ON group_chats", "NEW.ended <> ''"},
		{"it is told", "BEFORE INSERT ON inbox", "NEW.kind = 'background' AND NEW.platform_id LIKE 'group/g%' AND NEW.session_key NOT LIKE '%:subagent:%'"},
	} {
		k := s.newTalk()
		k.killedAt(point, func() { k.send(convene(1, []string{"coder", "reviewer"}, "say I think so"), "say begun") })
		told := k.untilTold(1)
		require.Len(t, told, 1, point.name)
		require.Contains(t, told[0], "ended: all rounds are over · 2 lines]", point.name)
		require.Contains(t, told[0], "coder: I think so\nreviewer: I think so", point.name)
		agents, tasks, turns := k.handedIn()
		require.Equal(t, []int{2, 2, 2}, []int{agents, tasks, turns}, point.name)
		k.wellFormed()
	}
}
