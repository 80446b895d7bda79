package e2e

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/workflows"
)

// recoverySwitch turns the measurement on: it needs minutes, and a machine with nothing else to do.
const recoverySwitch = "XBOT_RECOVERY"

// recoveryRow is a line of the table: how long an outage was, and how long after it the turn went on.
type recoveryRow struct {
	what       string
	away, then time.Duration
}

// recoveryTable measures how soon a turn goes on after an outage. It asserts that it does, and no duration.
type recoveryTable struct {
	*server
	rows []recoveryRow
}

// TestRecovery_AfterAKill kills processes at every point of a turn, and prints how soon it went on.
func TestRecovery_AfterAKill(t *testing.T) {
	r := newRecoveryTable(t)
	r.killsInCalls()
	r.killsInTransactions()
	r.killsBesideTurns()
	r.killsOfServers()
}

// TestRecovery_AfterASilence freezes Temporal and Postgres for a minute, and prints how soon a turn went on.
func TestRecovery_AfterASilence(t *testing.T) {
	newRecoveryTable(t).silences()
}

func newRecoveryTable(t *testing.T) *recoveryTable {
	t.Helper()
	if os.Getenv(recoverySwitch) == "" {
		t.Skip("SKIPPED, NOT TESTED: how soon turns go on after outages is measured with " + recoverySwitch + "=1")
	}
	r := &recoveryTable{server: newServerWithStack(t, askForShell)}
	t.Cleanup(r.print)
	return r
}

// killsInCalls kills the server while a turn waits for its model or a command.
func (r *recoveryTable) killsInCalls() {
	k := r.newTalk()
	id := k.send("stream 60 50ms")
	k.untilDelta(time.Minute)
	r.kill("in the stream of an answer", r.askedAgain())
	k.untilEnded(crashLimit, id)

	asked := r.model.Count()
	id = k.send("delay 3s", "say answered")
	r.modelAsked(asked + 1)
	r.kill("before the first word of an answer", r.askedAgain())
	k.untilEnded(crashLimit, id)

	id = k.allowed("sleep 2; echo x >> "+k.file("in"), "in")
	r.kill("in a command that ends meanwhile", r.askedAgain())
	k.untilEnded(crashLimit, id)
}

// killsInTransactions kills the server while one of its writes is under way, most of them within a workflow task.
func (r *recoveryTable) killsInTransactions() {
	for _, point := range []struct{ what, when, condition string }{
		{"in the claim of a message", "BEFORE UPDATE ON inbox", "NEW.turn_id IS NOT NULL AND OLD.turn_id IS NULL"},
		{"in the commit of a step with a call", "BEFORE INSERT ON tool_calls", "true"},
		{"in the note of a call's result", "BEFORE UPDATE ON tool_calls", "NEW.state = 'done' AND OLD.state <> 'done'"},
		{"in the end of a turn", "BEFORE UPDATE ON turns", "NEW.state <> 'running' AND OLD.state = 'running'"},
	} {
		k := r.newTalk()
		held := r.held(point.when, point.condition)
		id := k.send(`call Glob {"pattern":"*.none"}`, "say answered")
		held.waits(1)
		killed := time.Now()
		r.crash()
		held.release()
		r.boot()
		r.measure(point.what, killed, time.Now(), func() { k.untilEnded(crashLimit, id) })
	}
}

// killsBesideTurns kills the server while a turn waits for a person, a subagent, or nothing.
func (r *recoveryTable) killsBesideTurns() {
	k := r.newTalk()
	id := k.send(k.shell("true"), "say answered")
	call := k.untilAsked(1)
	killed := time.Now()
	r.crash()
	r.boot()
	ready := time.Now()
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow})
	r.measure("while a person is asked, who answers at once", killed, ready, func() { k.untilEnded(crashLimit, id) })

	k = r.newTalk()
	asked := r.model.Count()
	id = k.send(k.subagent(args{"role": "explorer"}, "delay 3s", "say found"), "say answered")
	r.modelAsked(asked + 2)
	r.kill("in the model call of a subagent", r.askedAgain())
	k.untilEnded(crashLimit, id)

	k = r.newTalk()
	k.untilEnded(crashLimit, k.send("say first"))
	killed = time.Now()
	r.crash()
	r.boot()
	ready = time.Now()
	id = k.send("say second")
	r.measure("at rest, with a message at once", killed, ready, func() { k.untilEnded(crashLimit, id) })
}

// killsOfServers kills Temporal and Postgres alone, with a turn in a command that ends meanwhile.
func (r *recoveryTable) killsOfServers() {
	r.stop() // what outlived a kill of the server is not its child
	r.boot()
	for _, name := range []string{"xbot-temporal", "postgres"} {
		k := r.newTalk()
		id := k.allowed("sleep 1; echo x >> "+k.file("in"), "in")
		asked := r.askedAgain()
		killed := time.Now()
		signal(r.t, r.child(name), syscall.SIGKILL)
		r.measure(name+" killed alone, counted from the kill", killed, killed, asked)
		k.untilEnded(crashLimit, id)
	}
}

// silences freezes Temporal and Postgres for a minute, with a turn in a command that ends meanwhile.
func (r *recoveryTable) silences() {
	for _, name := range []string{"xbot-temporal", "postgres"} {
		k := r.newTalk()
		id := k.allowed("sleep 5; echo x >> "+k.file("in"), "in")
		asked := r.askedAgain()
		pids := append(children(r.t, r.child(name), ""), r.child(name))
		slices.Reverse(pids) // who starts others first
		frozen := time.Now()
		for _, pid := range pids {
			signal(r.t, pid, syscall.SIGSTOP)
		}
		silence := time.NewTimer(time.Minute)
		<-silence.C
		for _, pid := range pids {
			signal(r.t, pid, syscall.SIGCONT)
		}
		r.measure(name+" silent for a minute", frozen, time.Now(), asked)
		k.untilEnded(2*crashLimit, id)
	}
}

// allowed begins a turn with a command that a person permits, and returns when the command runs.
func (k *talk) allowed(command, mark string) chat.InboxID {
	k.t.Helper()
	id := k.send(k.shell("echo begun >> %s; %s", k.file(mark), command), "say answered")
	k.answer(k.untilAsked(1).ID, apiclient.Answer{Decision: apiclient.Allow})
	require.Eventually(k.t, func() bool { return len(k.trace(mark)) > 0 }, time.Minute, 10*time.Millisecond)
	return id
}

// askedAgain returns what waits until the model is asked once more than until now.
func (r *recoveryTable) askedAgain() func() {
	before := r.model.Count()
	return func() {
		r.t.Helper()
		require.Eventually(r.t, func() bool { return r.model.Count() > before }, crashLimit, 2*time.Millisecond, "the turn does not go on")
	}
}

// kill kills the server, starts it again, and measures how soon the turn goes on.
func (r *recoveryTable) kill(what string, goesOn func()) {
	r.t.Helper()
	killed := time.Now()
	r.crash()
	r.boot()
	r.measure(what, killed, time.Now(), goesOn)
}

func (r *recoveryTable) measure(what string, away, back time.Time, goesOn func()) {
	r.t.Helper()
	goesOn()
	r.rows = append(r.rows, recoveryRow{what, back.Sub(away), time.Since(back)})
}

func (r *recoveryTable) print() {
	for _, row := range r.rows {
		r.t.Logf("%-50s away %6.1f s, goes on after %6.1f s", row.what, row.away.Seconds(), row.then.Seconds())
	}
}

// TestRecovery_OnABusyMachine has twenty conversations beside processes that take all they get, and prints how often Temporal has given a
// healthy worker up.
func TestRecovery_OnABusyMachine(t *testing.T) {
	if os.Getenv(recoverySwitch) == "" {
		t.Skip("SKIPPED, NOT TESTED: how a busy machine fares is measured with " + recoverySwitch + "=1")
	}
	s := newServer(t)
	for range 30 {
		busy := exec.Command("sh", "-c", "while :; do :; done")
		require.NoError(t, busy.Start())
		t.Cleanup(func() { _ = busy.Process.Kill(); _ = busy.Wait() }) // it ends by nothing else
	}
	talks, last := make([]*talk, 20), make([]chat.InboxID, 20)
	for i := range talks {
		talks[i] = s.newTalk()
		talks[i].queue("followup")
		for range 2 {
			last[i] = talks[i].send(talks[i].shell("sleep 3"), "then", "stream 40 100ms", "say done")
		}
	}
	given := map[string]int{}
	for i, k := range talks {
		k.untilEnded(5*time.Minute, last[i])
		turns, err := k.client.ListTurns(t.Context(), k.key, apiclient.ListTurnsParams{Limit: 10})
		require.NoError(t, err)
		for _, turn := range turns {
			for _, e := range s.history(workflows.TurnID(k.key), turn.RunID).GetEvents() {
				if timeout := e.GetWorkflowTaskTimedOutEventAttributes(); timeout != nil {
					given["workflow tasks, "+timeout.GetTimeoutType().String()]++
				}
				if e.GetActivityTaskStartedEventAttributes().GetAttempt() > 1 {
					given["attempts of activities: "+e.GetActivityTaskStartedEventAttributes().GetLastFailure().GetMessage()]++
				}
			}
		}
	}
	t.Logf("given up: %v", given)
}
