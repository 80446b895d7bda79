package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

// What works in the background is waited for, read and ended with the tools for commands, and told once.
func TestSubagent_IsLookedAfterWithTheTaskTools(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.untilEnded(time.Minute, k.send(
		k.subagent(args{"role": "coder", "background": true}, "delay 1s", "say built"),
		k.subagent(args{"role": "coder", "instance": "a", "background": true}, k.shell("echo begun >> %s; sleep 600; echo x >> %s", k.file("begun"), k.file("never")), "say never"),
		"then", call("task_wait", args{"task_id": []string{"coder"}, "timeout": 120}), "say ok"))
	require.Regexp(t, `^coder#[0-9a-f]{6} · answered after .* · subagent · delay 1s\n\[subagent coder answered\]\nbuilt$`, lastCalls(k)[0].Result)
	require.Empty(t, k.told(), "it was read, and is not told again")

	require.Eventually(t, func() bool { return len(k.trace("begun")) == 1 }, time.Minute, 20*time.Millisecond)
	k.untilEnded(time.Minute, k.send(call("task_status", args{}), "say ok"))
	require.Contains(t, lastCalls(k)[0].Result, "coder:a · running for ")
	k.untilEnded(time.Minute, k.send(call("task_kill", args{"task_id": "coder:a"}), "say ok"))
	killed := lastCalls(k)[0].Result
	require.Regexp(t, `^coder:a · (stopped after|running for) `, killed)
	require.Eventually(t, func() bool {
		all, err := k.client.ListSubagents(t.Context(), k.key)
		return err == nil && len(all) == 2 && all[0].State != chat.SubagentRunning
	}, time.Minute, 50*time.Millisecond, "it still works")
	require.Eventually(t, func() bool { return len(find(t, "sleep 600", k.file("never"))) == 0 }, time.Minute, 50*time.Millisecond, "the command of the subagent still runs")
	if strings.Contains(killed, "being stopped") {
		require.Contains(t, k.untilTold(1)[0], "coder:a was stopped before it answered")
	} else {
		require.Empty(t, k.told())
	}
	k.wellFormed()
}
