package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/workflows"
)

// findsRuns waits until the search attributes of a fresh namespace are used by new runs.
func (s *server) findsRuns() {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		k := s.newTalk()
		turn := k.untilEnded(time.Minute, k.send("say hello"))
		input := s.history(workflows.TurnID(k.key), turn.RunID).GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetInput()
		return strings.Contains(input.String(), "waits")
	}, 2*time.Minute, time.Second)
}

// foundWaiting waits until exactly one run of the conversation is found by what it waits for, as operators look for it.
func (k *talk) foundWaiting(what string) {
	k.t.Helper()
	query := "XbotSession = '" + string(k.key) + "' AND XbotWaits = '" + what + "'"
	require.Eventually(k.t, func() bool { return k.found(query) == 1 }, time.Minute, 200*time.Millisecond, what)
}

// foundDone waits until no run of the conversation waits any more.
func (k *talk) foundDone() {
	k.t.Helper()
	about := "XbotSession = '" + string(k.key) + "' AND "
	require.Eventually(k.t, func() bool { return k.found(about+"XbotWaits IS NULL AND XbotOutcome = 'done'") == 1 }, time.Minute, 200*time.Millisecond)
}

func TestTemporal_ARunIsFoundByWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	s := newServer(t, soonAgain...)
	s.findsRuns()

	k := s.newTalk()
	id := k.send(k.subagent(args{"role": "coder"}, k.shell("%s", k.untilFile("found")), "say deep"), "say done")
	k.foundWaiting(workflows.WaitsSubagents)
	k.touch("found")
	turn := k.untilEnded(time.Minute, id)
	k.foundDone()
	s.capture("waits-for-subagents", turn)

	k = s.newTalk()
	id = k.send(k.shell("%s", k.untilFile("stopped")), "then", "say after all")
	k.untilTool(time.Minute, chat.CallRunning)
	s.model.Stop() // before the model is asked again
	k.touch("stopped")
	k.foundWaiting(workflows.WaitsModel)
	require.NoError(t, s.model.Restart())
	turn = k.untilEnded(crashLimit, id)
	k.foundDone()
	s.capture("waits-for-model", turn)

	s.inForce(`{limits: {turns: 1}}`)
	busy, k := s.newTalk(), s.newTalk()
	first := busy.send(busy.shell("%s", busy.untilFile("found")), "say done")
	busy.untilTool(time.Minute, chat.CallRunning)
	id = k.send("say served")
	k.foundWaiting(workflows.WaitsSlot)
	busy.touch("found")
	require.Equal(t, chat.TurnDone, busy.untilEnded(time.Minute, first).State)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	k.foundDone()
}

func TestTemporal_ARunThatWaitsForItsRunnerIsFound(t *testing.T) {
	t.Parallel()
	p := newParts(t)
	p.findsRuns()
	k := p.newTalk()
	id := k.send(k.shell("echo a >> %s; %s; echo b >> %[1]s", k.file("out"), k.untilFile("found")), "say back")
	require.Eventually(t, func() bool { return len(k.trace("out")) == 1 }, time.Minute, 10*time.Millisecond)
	p.runner.kill()
	k.foundWaiting(workflows.WaitsRunner)
	k.touch("found")
	p.runner.start()
	turn := k.untilEnded(crashLimit, id)
	require.Equal(t, chat.TurnDone, turn.State)
	k.foundDone()
	p.capture("waits-for-runner", turn)
	require.Equal(t, []string{"a", "b"}, k.trace("out"))
}
