package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// crashLimit bounds the wait for an answer after a crash. How long it took is printed, never asserted.
const crashLimit = 90 * time.Second

// recovered waits for the end of a message's turn after a restart and prints how long it took.
func (k *talk) recovered(what string, restarted time.Time, id chat.InboxID) chat.Turn {
	k.t.Helper()
	turn := k.untilEnded(crashLimit, id)
	k.t.Logf("%s: restart to answer %s", what, time.Since(restarted).Round(time.Millisecond))
	return turn
}

func TestCrash01_ServerKilledDuringAStream(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send("stream 60 50ms")
	k.untilDelta(time.Minute)
	k.crash()
	restarted := time.Now()
	k.boot()
	require.Equal(t, chat.TurnDone, k.recovered("stream of 3 s", restarted, id).State)
	require.Len(t, k.answers(), 1)
	require.Len(t, strings.Fields(k.answers()[0]), 60, "the whole answer, once")
	k.wellFormed()
}

func TestCrash02_ServerKilledDuringACommand(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send(k.shell("for i in 1 2 3 4 5 6 7 8 9 10; do echo $i | tee -a %s; sleep 1; done", k.file("count")), "say counted")
	require.Eventually(t, func() bool { return len(k.trace("count")) >= 3 }, time.Minute, 10*time.Millisecond)
	k.crash()
	restarted := time.Now()
	k.boot()
	require.Equal(t, chat.TurnDone, k.recovered("command of 10 s, killed in its 3rd", restarted, id).State)
	require.Equal(t, strings.Fields("1 2 3 4 5 6 7 8 9 10"), k.trace("count"), "the command ran once, to its end")
	require.Equal(t, []string{"counted"}, k.answers())
	for i := 1; i <= 10; i++ {
		require.Contains(t, lastCalls(k)[0].Result, fmt.Sprint(i), "the model sees all of the output")
	}
	k.wellFormed()
}

func TestCrash19_ServerKilledInTheFirstMomentOfACommand(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send(k.shell("echo x >> %s; sleep 2; echo done", k.file("once")), "say seen")
	require.Eventually(t, func() bool { return len(k.trace("once")) == 1 }, time.Minute, time.Millisecond)
	k.crash() // the workflow task that runs it as a local activity is lost
	restarted := time.Now()
	k.boot()
	require.Equal(t, chat.TurnDone, k.recovered("command killed as it began", restarted, id).State)
	require.Equal(t, []string{"x"}, k.trace("once"), "the command ran once")
	require.Contains(t, lastCalls(k)[0].Result, "done\n[exit code 0")
	require.Equal(t, []string{"seen"}, k.answers())
	k.wellFormed()
}

func TestCrash_TheDurationOfACommandLeavesOutTheOutage(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send(k.shell("echo begun >> %s; sleep 2; echo ended >> %s", k.file("marks"), k.file("marks")), "say seen")
	require.Eventually(t, func() bool { return len(k.trace("marks")) == 1 }, time.Minute, 10*time.Millisecond)
	k.crash()
	require.Eventually(t, func() bool { return len(k.trace("marks")) == 2 }, time.Minute, 100*time.Millisecond)
	restarted := time.Now()
	k.boot()
	require.Equal(t, chat.TurnDone, k.recovered("command that ended while the server was away", restarted, id).State)
	call := lastCalls(k)[0]
	require.WithinRange(t, *call.FinishedAt, call.StartedAt.Add(time.Second), restarted.Add(time.Second), "the command's end, not the server's return")
}

func TestCrash03_ServerKilledBetweenAResultAndTheNextCall(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send(k.shell("echo x >> %s", k.file("once")), "then", "delay 3s", "say after")
	k.untilTool(time.Minute, chat.CallDone)
	k.crash()
	restarted := time.Now()
	k.boot()
	require.Equal(t, chat.TurnDone, k.recovered("between result and next call", restarted, id).State)
	require.Equal(t, []string{"x"}, k.trace("once"))
	require.Equal(t, []string{"after"}, k.answers())
	k.wellFormed()
}

func TestCrash04_ServerKilledWithTwoMoreMessagesQueued(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.queue("followup")
	k.send(k.shell("echo a >> %s; sleep 3", k.file("order")), "say first")
	k.untilTool(time.Minute, chat.CallRunning)
	k.send(k.shell("echo b >> %s", k.file("order")), "say second")
	last := k.send(k.shell("echo c >> %s", k.file("order")), "say third")
	k.crash()
	restarted := time.Now()
	k.boot()
	require.Equal(t, chat.TurnDone, k.recovered("three queued turns", restarted, last).State)
	require.Equal(t, []string{"first", "second", "third"}, k.answers())
	require.Equal(t, []string{"a", "b", "c"}, k.trace("order"))
	k.wellFormed()
}

func TestCrash05_TemporalKilled(t *testing.T) {
	t.Parallel()
	k := newServerWithStack(t).newTalk()
	id := k.send(k.shell("echo a >> %s; sleep 3", k.file("once")), "say done")
	k.untilTool(time.Minute, chat.CallRunning)
	killed := time.Now()
	signal(t, k.child("xbot-temporal"), syscall.SIGKILL)
	require.Equal(t, chat.TurnDone, k.recovered("Temporal killed during a command of 3 s", killed, id).State)
	require.Equal(t, []string{"a"}, k.trace("once"))
	k.wellFormed()
}

func TestCrash06_PostgresKilled(t *testing.T) {
	t.Parallel()
	k := newServerWithStack(t).newTalk()
	k.queue("followup")
	first := k.send(k.shell("echo a >> %s; sleep 3", k.file("once")), "say done")
	k.untilTool(time.Minute, chat.CallRunning)
	killed := time.Now()
	signal(t, k.child("postgres"), syscall.SIGKILL)
	second := k.send("say accepted after the outage")
	require.Equal(t, chat.TurnDone, k.recovered("Postgres killed during a command of 3 s", killed, first).State)
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, second).State)
	require.Equal(t, []string{"a"}, k.trace("once"))
	require.Equal(t, []string{"done", "accepted after the outage"}, k.answers())
	k.wellFormed()
}

func TestCrash07_RunnerKilledDuringACommand(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send(k.shell("echo a >> %s; sleep 3; echo b >> %s", k.file("once"), k.file("once")), "say done")
	k.untilTool(time.Minute, chat.CallRunning)
	require.Eventually(t, func() bool { return len(k.trace("once")) == 1 }, time.Minute, 10*time.Millisecond)
	killed := time.Now()
	signal(t, k.child("xbot-runner"), syscall.SIGKILL)
	require.Equal(t, chat.TurnDone, k.recovered("runner killed during a command of 3 s", killed, id).State)
	require.Equal(t, []string{"a", "b"}, k.trace("once"))
	require.False(t, lastCalls(k)[0].IsError, lastCalls(k)[0].Result)
	k.wellFormed()
}

// child returns the pid of a direct child of the server, which may just have been started.
func (s *server) child(name string) int {
	s.t.Helper()
	var pids []int
	require.Eventually(s.t, func() bool {
		pids = children(s.t, s.cmd.Process.Pid, name)
		return len(pids) > 0
	}, time.Minute, 10*time.Millisecond, "the server has no child %s", name)
	return pids[0]
}

func TestCrash09_RandomKillsDuringManyConversations(t *testing.T) {
	t.Parallel()
	s := newServerWithStack(t)
	const conversations, messages, kills = 30, 3, 20
	talks := make([]*talk, conversations)
	for i := range talks {
		talks[i] = s.newTalk()
		talks[i].queue("followup")
	}
	sent := make(chan error, conversations)
	last := make([]chat.InboxID, conversations)
	for i, k := range talks {
		go func() {
			for n := range messages {
				text := k.shell("echo %d >> %s; sleep 0.%d", n, k.file(fmt.Sprint("r", i)), rand.IntN(10)) + fmt.Sprintf("\nsay answer %d", n)
				got, err := s.client.SendUntilAccepted(t.Context(), k.key, fmt.Sprintf("%d-%d", i, n), text, nil)
				if err != nil {
					sent <- err
					return
				}
				last[i] = got.ID
			}
			sent <- nil
		}()
	}
	targets := []string{"server", "server", "xbot-temporal", "postgres", "xbot-runner"}
	for range kills {
		pause := time.NewTimer(time.Duration(200+rand.IntN(1500)) * time.Millisecond)
		<-pause.C
		if target := targets[rand.IntN(len(targets))]; target != "server" {
			if pids := children(t, s.cmd.Process.Pid, target); len(pids) > 0 {
				signal(t, pids[0], syscall.SIGKILL)
			}
			continue
		}
		s.crash()
		s.boot()
	}
	for range conversations {
		require.NoError(t, <-sent)
	}
	began := time.Now()
	for i, k := range talks {
		require.Equal(t, chat.TurnDone, k.untilEnded(3*time.Minute, last[i]).State)
		require.Equal(t, []string{"answer 0", "answer 1", "answer 2"}, k.answers())
		require.Equal(t, []string{"0", "1", "2"}, k.trace(fmt.Sprint("r", i)), "each command ran exactly once")
		k.wellFormed()
	}
	t.Logf("%d turns over %d kills, all answered %s after the last kill", conversations*messages, kills, time.Since(began).Round(time.Millisecond))
}

func TestCrash10_RunTerminatedFromOutside(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	mark := "sleep 611.10"
	id := k.send(k.shell("echo a >> %s; %s; echo b >> %s", k.file("once"), mark, k.file("once")), "say never")
	k.untilTool(time.Minute, chat.CallRunning)
	require.Eventually(t, func() bool { return len(k.trace("once")) == 1 && len(find(t, mark)) > 0 }, time.Minute, 10*time.Millisecond)
	s.terminate(k.key)
	turn := k.untilEnded(crashLimit, id)
	require.Equal(t, chat.TurnLost, turn.State)
	require.Equal(t, i18n.Say(i18n.English, i18n.CallUnknown), lastCalls(k)[0].Result)
	require.Contains(t, k.lastNotice(), i18n.Say(i18n.English, i18n.Gone))
	require.Eventually(t, func() bool { return len(find(t, mark)) == 0 }, time.Minute, 50*time.Millisecond, "the command is killed: nobody waits for it")

	id = k.send("stream 200 50ms")
	k.until(time.Minute, "a delta of the second turn", func(e chat.Event) bool {
		return e.Kind == chat.EventDelta && decode[chat.Delta](t, e).Turn != turn.ID
	})
	s.terminate(k.key)
	require.Equal(t, chat.TurnLost, k.untilEnded(crashLimit, id).State)
	id = k.send("say goes on")
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"goes on"}, k.answers())
	require.Equal(t, []string{"a"}, k.trace("once"), "the command ran once, and not to its end")
	k.wellFormed()
}

func (k *talk) lastNotice() string {
	text := ""
	for _, m := range k.transcript().Messages {
		if m.Role == chat.RoleNotice {
			text = m.Content
		}
	}
	return text
}

func TestCrash11_AProviderThatGivesEveryCallTheSameID(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send("ids same", k.shell("echo a >> %s", k.file("ids")), k.shell("echo b >> %s", k.file("ids")), "then", "ids same", k.shell("echo c >> %s", k.file("ids")), "say done")
	k.untilTool(time.Minute, chat.CallRunning)
	k.crash()
	restarted := time.Now()
	k.boot()
	require.Equal(t, chat.TurnDone, k.recovered("repeated provider ids", restarted, id).State)
	require.Equal(t, []string{"a", "b", "c"}, k.trace("ids"))
	k.wellFormed()
}

func TestCrash12_TemporalAwayForHalfAMinuteDuringACommand(t *testing.T) {
	t.Parallel()
	k := newServerWithStack(t).newTalk()
	k.queue("followup")
	id := k.send(k.shell("for i in 1 2 3 4 5 6 7 8; do echo $i >> %s; sleep 1; done", k.file("away")), "say done")
	k.untilTool(time.Minute, chat.CallRunning)
	temporal := k.child("xbot-temporal")
	signal(t, temporal, syscall.SIGSTOP)
	away := time.NewTimer(30 * time.Second)
	require.Eventually(t, func() bool { return len(k.trace("away")) == 8 }, time.Minute, 50*time.Millisecond, "the command goes on")
	queued := k.send("say accepted while Temporal was away")
	<-away.C
	signal(t, temporal, syscall.SIGCONT)
	back := time.Now()
	require.Equal(t, chat.TurnDone, k.recovered("Temporal away for 30 s", back, id).State)
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, queued).State)
	require.Equal(t, strings.Fields("1 2 3 4 5 6 7 8"), k.trace("away"))
	require.Equal(t, []string{"done", "accepted while Temporal was away"}, k.answers())
	k.wellFormed()
}

func TestCrash13_AStopSentAsTheTurnEndsNeverHitsTheNext(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	k.queue("followup")
	stopped := 0
	for n := range 15 {
		first := k.send(fmt.Sprintf("say quick %d", n))
		k.until(time.Minute, "the answer", func(e chat.Event) bool {
			if e.Kind != chat.EventMessage {
				return false
			}
			m := decode[chat.Message](t, e)
			return m.Role == chat.RoleAssistant && m.Content == fmt.Sprintf("quick %d", n)
		})
		got, err := s.client.StopTurn(t.Context(), k.key)
		require.NoError(t, err)
		if got.Stopped != "" {
			stopped++
		}
		next := k.send(fmt.Sprintf("say next %d", n))
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, next).State, "the stop hit the next turn")
		k.untilEnded(time.Minute, first)
	}
	t.Logf("%d of 15 stops met a turn that was still ending", stopped)
	k.wellFormed()
}

func TestCrash14_TheShimItselfKilled(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send(k.shell("echo a >> %s; sleep 30; echo b >> %s", k.file("lost"), k.file("lost")), "say told")
	require.Eventually(t, func() bool { return len(k.trace("lost")) == 1 }, time.Minute, 10*time.Millisecond)
	shims := find(t, "xbot-runner shim", k.home)
	require.Len(t, shims, 1)
	signal(t, shims[0], syscall.SIGKILL)
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.True(t, lastCalls(k)[0].IsError)
	require.Contains(t, strings.ToLower(lastCalls(k)[0].Result), "unknown")
	require.Equal(t, []string{"a"}, k.trace("lost"), "it is not run again")
	k.wellFormed()
}

func TestCrash20_AnAttemptOfAKilledServerIsGivenUpByTheNextOne(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	run, attempts := s.heldAttempt()
	s.crash()
	s.boot()
	select {
	case attempt := <-attempts:
		require.EqualValues(t, 2, attempt)
	case <-time.After(crashLimit):
		require.Fail(t, "the attempt was not given up")
	}
	require.NoError(t, run.Get(t.Context(), nil))
	var again *history.ActivityTaskStartedEventAttributes
	for _, event := range s.history(run.GetID(), run.GetRunID()).GetEvents() {
		if started := event.GetActivityTaskStartedEventAttributes(); started != nil {
			again = started
		}
	}
	require.NotNil(t, again)
	require.EqualValues(t, 2, again.GetAttempt())
	require.Equal(t, "the server that ran it has ended", again.GetLastFailure().GetMessage())
}

// heldAttempt starts an activity attempt that never ends, by a worker with the identity of a server. The channel has the numbers of later
// attempts. Its heartbeat timeout is an hour: that of the activities of a turn may be over before a busy machine has started the next server.
func (s *server) heldAttempt() (client.WorkflowRun, <-chan int32) {
	s.t.Helper()
	const name = "Held"
	held, later := make(chan struct{}), make(chan int32, 9)
	ended := make(chan struct{})
	c := s.temporal()
	w := worker.New(c, name, worker.Options{Identity: "serve@held"})
	w.RegisterActivityWithOptions(func(ctx context.Context) error {
		if attempt := activity.GetInfo(ctx).Attempt; attempt > 1 {
			later <- attempt
			return nil
		}
		close(held)
		<-ended
		return nil
	}, activity.RegisterOptions{Name: name})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Hour, HeartbeatTimeout: time.Hour})
		return workflow.ExecuteActivity(ctx, name).Get(ctx, nil)
	}, workflow.RegisterOptions{Name: name})
	require.NoError(s.t, w.Start())
	s.t.Cleanup(func() { close(ended); w.Stop() })
	run, err := c.ExecuteWorkflow(s.t.Context(), client.StartWorkflowOptions{TaskQueue: name}, name)
	require.NoError(s.t, err)
	<-held
	require.Eventually(s.t, func() bool { return s.found("WorkflowType = '"+name+"'") == 1 }, time.Minute, 50*time.Millisecond)
	return run, later
}
