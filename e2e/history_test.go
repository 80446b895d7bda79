package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/workflows"
)

// history returns the events of a run; an empty run is the newest.
func (s *server) history(workflow, run string) *history.History {
	s.t.Helper()
	out := &history.History{}
	events := s.temporal().GetWorkflowHistory(s.t.Context(), workflow, run, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(s.t, err)
		out.Events = append(out.Events, event)
	}
	return out
}

// capture keeps the history of a turn for the replay tests, when CAPTURE_HISTORIES=1.
func (s *server) capture(name string, turn chat.Turn) *history.History {
	s.t.Helper()
	return s.captureRun(name, workflows.TurnID(turn.Session), turn.RunID)
}

// captureRun does the same with any run.
func (s *server) captureRun(name, workflow, run string) *history.History {
	s.t.Helper()
	h := s.history(workflow, run)
	if os.Getenv("CAPTURE_HISTORIES") == "1" {
		data, err := protojson.MarshalOptions{Indent: " "}.Marshal(h)
		require.NoError(s.t, err)
		require.NoError(s.t, os.WriteFile(filepath.Join("..", "workflows", "testdata", name+".json"), data, 0o644))
	}
	return h
}

// TestHistories_HoldReferencesOnly runs the kinds of turns there are and looks at their histories: small, and without
// what people wrote. With CAPTURE_HISTORIES=1 it refreshes the corpus of the replay tests.
func TestHistories_HoldReferencesOnly(t *testing.T) {
	t.Parallel()
	s := newServer(t, "LLM_RETRY_DELAY=10ms", "LLM_RETRY_ATTEMPTS=2", "AGENT_MAX_ITERATIONS=8")
	k := s.newTalk()
	const spoken = "a long secret tale that goes on and on well past the first words of it"
	k.closed(k.untilEnded(time.Minute, k.send("say warm"))) // its worker may not have been there yet
	turn := k.closed(k.untilEnded(time.Minute, k.send("# "+spoken+" TAIL", "say "+spoken)))
	plain := s.capture("plain-eager", turn) // plain.json began with a signal
	small(t, "plain", plain, 15, 4<<10)
	require.True(t, plain.Events[0].GetWorkflowExecutionStartedEventAttributes().GetEagerExecutionAccepted(), "no turn ran")

	program := []string{"each"}
	for range 5 {
		program = append(program, k.shell("echo "+spoken))
	}
	turn = k.untilEnded(time.Minute, k.send(append(program, "say done")...))
	// five-commands.json, parallel-reads.json and stopped-command.json are of turns whose calls all were activities
	small(t, "five commands", s.capture("five-commands-quick", turn), 56, 12<<10)

	var reads []string
	for range 12 {
		reads = append(reads, `call Glob {"pattern":"*.none"}`)
	}
	turn = k.untilEnded(time.Minute, k.send(append(reads, k.shell("true"), `call Glob {"pattern":"*"}`, "say done")...))
	s.capture("parallel-reads-quick", turn)

	id := k.send(k.shell("sleep 60"), "say never")
	k.until(time.Minute, "the command", func(e chat.Event) bool {
		return e.Kind == chat.EventTool && strings.Contains(string(e.Data), "sleep 60")
	})
	k.send("/stop")
	s.capture("stopped-command-quick", k.untilEnded(time.Minute, id))

	id = k.send("# stopped while it streams", "stream 400 50ms")
	k.until(time.Minute, "a delta", func(e chat.Event) bool { return e.Kind == chat.EventDelta })
	_, err := s.client.StopTurn(t.Context(), k.key)
	require.NoError(t, err)
	s.capture("stopped-stream", k.untilEnded(time.Minute, id))

	k.queue("followup")
	first := k.send(k.shell("%s", k.untilFile("sent")), "say first")
	k.untilTool(time.Minute, chat.CallRunning)
	second := k.send("say second")
	k.touch("sent")
	s.capture("continued", k.untilEnded(time.Minute, first))
	s.capture("continuation", k.untilEnded(time.Minute, second))

	s.capture("failed", k.untilEnded(time.Minute, k.send("fail 401", "say never")))
	k = s.newTalk() // a question without an answer is read together with the next one
	s.capture("step-limit", k.untilEnded(time.Minute, k.send(`repeat 10 call Glob {"pattern":"*.none"}`)))
}

// TestHistories_OfWhatRunsBesideTurns does the same for background tasks and bang commands.
func TestHistories_OfWhatRunsBesideTurns(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	const spoken = "a long secret tale that goes on and on well past the first words of it"
	turn := k.untilEnded(time.Minute, k.send(k.background("sleep 1; echo %s %s", strings.Repeat("x", 60), spoken), "say started"))
	small(t, "turn of a task", k.capture("backgrounds", turn), 40, 8<<10)
	k.untilAnnounced(time.Minute)
	closed := func(workflow string) {
		t.Helper()
		require.NoError(t, k.temporal().GetWorkflow(t.Context(), workflow, "").Get(t.Context(), nil))
	}
	call := lastCalls(k)[0].ID
	closed(workflows.BackgroundID(call))
	small(t, "background", k.captureRun("background", workflows.BackgroundID(call), ""), 20, 4<<10)

	k.untilEnded(time.Minute, k.send(k.background("sleep 100"), "say started"))
	call = lastCalls(k)[0].ID
	require.NoError(t, k.temporal().CancelWorkflow(t.Context(), workflows.BackgroundID(call), ""))
	require.Equal(t, chat.TaskKilled, k.untilTask(time.Minute, "bg2", true).State, "a cancellation kills the command")
	closed(workflows.BackgroundID(call))
	k.captureRun("background-killed", workflows.BackgroundID(call), "")
	k.captureClientTools(spoken)

	id := k.send("!echo " + strings.Repeat("x", 60) + " " + spoken)
	k.untilNotice(time.Minute, "exit code 0")
	closed(workflows.CommandID(id))
	small(t, "command", k.captureRun("command", workflows.CommandID(id), ""), 20, 4<<10)
}

// TestHistories_OfHooks does the same for turns that ask hooks: each moment is one activity, and what hooks say stands in none.
func TestHistories_OfHooks(t *testing.T) {
	t.Parallel()
	s := newServer(t, hostHooks)
	k := s.newTalk()
	const spoken = "a long secret tale that goes on and on well past the first words of it"
	s.hooks(onHost(
		"UserPromptSubmit", `grep -q REFUSE && exit 2; echo `+spoken,
		"PreToolUse", `if grep -q asked; then echo '{"decision":"ask","reason":"`+spoken+`"}'; fi`,
		"PostToolUse", "echo "+spoken, "PostToolBatch", "true", "PermissionRequest", "true", "PermissionDenied", "true", "AgentStop", "true",
	))
	id := k.send(k.shell("echo %s >> %s", strings.Repeat("x", 60), k.file("asked")), k.shell("true"), "say done")
	k.answer(k.untilAsked(1).ID, apiclient.Answer{Decision: apiclient.Allow})
	// hooks.json and hooks-refused.json are of turns that waited for the hooks that are told of their end
	turn := k.closed(k.untilEnded(time.Minute, id))
	small(t, "hooks", s.capture("hooks-apart", turn), 120, 20<<10)
	closing := workflows.ClosingID(turn.ID)
	require.NoError(t, s.temporal().GetWorkflow(t.Context(), closing, "").Get(t.Context(), nil))
	small(t, "closing", s.captureRun("closing", closing, ""), 20, 4<<10)
	small(t, "hooks-refused", s.capture("hooks-refused-apart", k.closed(k.untilEnded(time.Minute, k.send("say never", "# REFUSE "+spoken)))), 30, 6<<10)
}

// closed waits until the run of a turn has ended, too.
func (k *talk) closed(turn chat.Turn) chat.Turn {
	k.t.Helper()
	require.NoError(k.t, k.temporal().GetWorkflow(k.t.Context(), workflows.TurnID(turn.Session), turn.RunID).Get(k.t.Context(), nil))
	return turn
}

func small(t *testing.T, name string, h *history.History, events, bytes int) {
	t.Helper()
	t.Logf("%s turn: %d events, %d bytes", name, len(h.Events), proto.Size(h))
	require.LessOrEqual(t, len(h.Events), events)
	require.LessOrEqual(t, proto.Size(h), bytes)
	data, err := json.Marshal(h)
	require.NoError(t, err)
	require.NotContains(t, string(data), "well past the first words", "what people wrote stands in the history")
}

// TestHistories_OfSubagents does the same for turns that hand work on, and for those who carry it out.
func TestHistories_OfSubagents(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	const spoken = "a long secret tale that goes on and on well past the first words of it"
	task := "say " + strings.Repeat("x", 60) + " " + spoken
	run := func(workflow string) string {
		t.Helper()
		d, err := k.temporal().DescribeWorkflowExecution(t.Context(), workflow, "")
		require.NoError(t, err)
		return d.GetWorkflowExecutionInfo().GetExecution().GetRunId()
	}
	turn := k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "coder"}, task), k.subagent(args{"role": "coder"}, task), "say done"))
	small(t, "turn with two subagents", k.capture("delegates", turn), 80, 16<<10)
	once := workflows.SubagentID(chat.SubagentRef{Parent: k.key, Role: "coder", Call: lastCalls(k)[0].ID})
	small(t, "subagent", k.captureRun("subagent-once", once, ""), 30, 8<<10)

	turn = k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "coder", "background": true}, task), "say started"))
	k.untilTold(1)
	k.capture("delegates-background", turn)

	k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "coder", "instance": "a"}, task), "say done"))
	stays := workflows.SubagentID(chat.SubagentRef{Parent: k.key, Role: "coder", Instance: "a"})
	idle := run(stays)
	turn = k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "coder", "instance": "a", "action": "send"}, task), "say done"))
	k.capture("delegates-again", turn)
	k.captureRun("subagent-stays", stays, idle)
	k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "coder", "instance": "a", "action": "unload"}), "say done"))
	idle = run(stays)
	require.NoError(t, k.temporal().GetWorkflow(t.Context(), stays, idle).Get(t.Context(), nil))
	k.captureRun("subagent-unloaded", stays, idle)

	work := k.shell("echo x >> %s; sleep 600", k.file("working"))
	k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "coder", "instance": "b", "background": true}, work, "say never"), "say started"))
	require.Eventually(t, func() bool { return len(k.trace("working")) == 1 }, time.Minute, 20*time.Millisecond)
	stays = workflows.SubagentID(chat.SubagentRef{Parent: k.key, Role: "coder", Instance: "b"})
	busy := run(stays)
	k.untilEnded(time.Minute, k.send(k.subagent(args{"role": "coder", "instance": "b", "action": "interrupt"}), "say done"))
	require.Eventually(t, func() bool { return run(stays) != busy }, time.Minute, 20*time.Millisecond, "it continues as new")
	k.captureRun("subagent-interrupted", stays, busy)

	id := k.send(k.subagent(args{"role": "coder"}, k.shell("echo x >> %s; sleep 60", k.file("begun")), "say never"), "say never")
	require.Eventually(t, func() bool { return len(k.trace("begun")) == 1 }, time.Minute, 20*time.Millisecond)
	k.send("/stop")
	turn = k.untilEnded(time.Minute, id)
	k.capture("delegates-stopped", turn)
	once = workflows.SubagentID(chat.SubagentRef{Parent: k.key, Role: "coder", Call: lastCalls(k)[0].ID})
	k.captureRun("subagent-cancelled", once, "")
}

// TestHistories_OfAStopThatALostWorkerLeft captures a turn whose worker is killed between a stop and the end of its command.
func TestHistories_OfAStopThatALostWorkerLeft(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	id := k.send(k.shell("echo begun >> %s; sleep 618", k.file("begun")), "say never")
	require.Eventually(t, func() bool { return len(k.trace("begun")) == 1 }, time.Minute, 10*time.Millisecond)
	runner := s.child("xbot-runner")
	signal(t, runner, syscall.SIGSTOP) // the worker hears of the stop, and cannot carry it out
	_, err := s.client.StopTurn(t.Context(), k.key)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return happened(s.history(workflows.TurnID(k.key), ""), enums.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED) == 1
	}, time.Minute, 10*time.Millisecond)
	s.crash()
	signal(t, runner, syscall.SIGKILL)
	s.boot()
	turn := k.untilEnded(crashLimit, id)
	require.Equal(t, chat.TurnStopped, turn.State)
	h := s.capture("interrupts-lost", k.closed(turn))
	small(t, "interrupts-lost", h, 60, 12<<10)
	require.Equal(t, 1, scheduled(h, activities.NameInterrupt), "the command is ended by an activity of its own")
	require.Empty(t, find(t, "sleep 618"))
}

// happened counts the events of a type.
func happened(h *history.History, kind enums.EventType) (n int) {
	for _, e := range h.GetEvents() {
		if e.GetEventType() == kind {
			n++
		}
	}
	return n
}

// scheduled counts how often an activity was.
func scheduled(h *history.History, activity string) (n int) {
	for _, e := range h.GetEvents() {
		if e.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName() == activity {
			n++
		}
	}
	return n
}
