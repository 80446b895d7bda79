package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

// background is a call that puts a command into the background at once.
func (k *talk) background(format string, args ...any) string {
	k.t.Helper()
	arguments, err := json.Marshal(map[string]any{"command": fmt.Sprintf(format, args...), "background": true})
	require.NoError(k.t, err)
	return "call Shell " + string(arguments)
}

// untilTask waits until a background task of the session is in a state other than running, or is running.
func (k *talk) untilTask(limit time.Duration, id string, ended bool) chat.Task {
	k.t.Helper()
	var got chat.Task
	k.until(limit, fmt.Sprintf("task %s, ended %t", id, ended), func(e chat.Event) bool {
		if e.Kind != chat.EventTask {
			return false
		}
		got = decode[chat.Task](k.t, e)
		return got.ID == id && (got.State != chat.TaskRunning) == ended
	})
	return got
}

// announcements are the ends of tasks that the session was told.
func (k *talk) announcements() []chat.Message {
	k.t.Helper()
	var out []chat.Message
	for _, m := range k.transcript().Messages {
		if m.Origin == chat.OriginBackground {
			out = append(out, m)
		}
	}
	return out
}

// untilAnnounced waits until the turn that the end of a task started has ended, and returns what it was told.
func (k *talk) untilAnnounced(limit time.Duration) chat.Message {
	k.t.Helper()
	var told chat.Message
	k.until(limit, "the end of a task as a message", func(e chat.Event) bool {
		if e.Kind == chat.EventMessage {
			told = decode[chat.Message](k.t, e)
		}
		return told.Origin == chat.OriginBackground
	})
	require.Equal(k.t, chat.RoleUser, told.Role)
	k.untilEnded(limit, told.Inbox)
	return told
}

func TestBackground_ItsEndStartsATurnThatReadsIt(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send(k.background("echo begun; sleep 3; echo finished; exit 3"), "say started")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State, "the turn does not wait for it")
	call := lastCalls(k)[0]
	require.Equal(t, "bg1", call.Task)
	require.Contains(t, call.Result, "it runs in the background")
	require.Contains(t, call.Result, "task_id: bg1")
	require.Equal(t, chat.TaskRunning, k.untilTask(time.Minute, "bg1", false).State)

	told := k.untilAnnounced(time.Minute)
	require.Contains(t, told.Content, "[background task bg1 ended: exit code 3 after ")
	require.Contains(t, told.Content, "begun\nfinished")
	task, err := k.client.GetTask(t.Context(), k.key, "bg1")
	require.NoError(t, err)
	require.Equal(t, "begun\nfinished", task.Output)
	require.Equal(t, 3, task.Code)
	require.Len(t, k.announcements(), 1)
	k.wellFormed()
}

func TestBackground_ServerKilledWhileATaskRuns(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send(k.background("for i in 1 2 3 4 5 6 7 8; do echo $i | tee -a %s; sleep 1; done", k.file("count")), "say started")
	k.untilEnded(time.Minute, id)
	require.Eventually(t, func() bool { return len(k.trace("count")) >= 3 }, time.Minute, 10*time.Millisecond)
	k.crash()
	restarted := time.Now()
	k.boot()
	told := k.untilAnnounced(crashLimit)
	t.Logf("task of 8 s, server killed in its 3rd: restart to announcement %s", time.Since(restarted).Round(time.Millisecond))
	require.Equal(t, strings.Fields("1 2 3 4 5 6 7 8"), k.trace("count"), "it ran once, to its end")
	require.Contains(t, told.Content, "exit code 0")
	require.Contains(t, told.Content, "1\n2\n3\n4\n5\n6\n7\n8")
	require.Len(t, k.announcements(), 1)
	k.wellFormed()
}

func TestBackground_ServerKilledAtRandomPoints(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	const kills = 5
	var tasks []int // commands that became tasks
	for n := range kills {
		id := k.send(k.background("echo %d >> %s; sleep 2; echo over %d", n, k.file("runs"), n), "say started")
		pause := time.NewTimer(time.Duration(rand.IntN(4000)) * time.Millisecond)
		<-pause.C
		k.crash()
		k.boot()
		require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
		if call := k.lastCall(); call.Task == "" { // killed before it was noted as a task, and over when the next attempt found it
			require.Contains(t, call.Result, fmt.Sprintf("over %d\n[exit code 0", n))
			continue
		}
		tasks = append(tasks, n)
		k.untilTask(crashLimit, chat.TaskID(len(tasks)), true)
	}
	require.Eventually(t, func() bool { return len(k.announcements()) == len(tasks) }, crashLimit, 100*time.Millisecond, "each end is announced")
	require.Equal(t, []string{"0", "1", "2", "3", "4"}, k.trace("runs"), "each ran once")
	for i, m := range k.announcements() {
		k.untilEnded(crashLimit, m.Inbox)
		require.Contains(t, m.Content, fmt.Sprintf("[background task bg%d ended: exit code 0", i+1))
		require.Contains(t, m.Content, fmt.Sprintf("over %d", tasks[i]))
	}
	k.wellFormed()
}

// lastCall is the newest tool call of the conversation.
func (k *talk) lastCall() (last chat.ToolCall) {
	k.t.Helper()
	for _, m := range k.transcript().Messages {
		for _, c := range m.ToolCalls {
			last = c
		}
	}
	return last
}

func TestBackground_ACommandOverItsBudgetLosesNoByte(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	const lines = 200_000
	arguments, err := json.Marshal(map[string]any{
		"command": fmt.Sprintf("seq 1 %d | tee %s | head -n 100000; until [ -e %s ]; do sleep 0.1; done; seq 100001 %d",
			lines, k.file("all"), k.file("further"), lines), "timeout": 1,
	})
	require.NoError(t, err)
	id := k.send("call Shell "+string(arguments), "say goes on")
	k.untilEnded(time.Minute, id)
	require.Regexp(t, `still running after \d+ s`, lastCalls(k)[0].Result)
	require.NoError(t, os.WriteFile(k.file("further"), nil, 0o600))
	k.untilAnnounced(crashLimit)
	want := 0
	for n := 1; n <= lines; n++ {
		want += len(strconv.Itoa(n)) + 1
	}
	task, err := k.client.GetTask(t.Context(), k.key, "bg1")
	require.NoError(t, err)
	require.EqualValues(t, want, task.Total)
	require.True(t, strings.HasPrefix(task.Output, "1\n2\n3\n"), "the head is kept")
	require.True(t, strings.HasSuffix(task.Output, "\n199999\n200000"), "the tail is kept")
	require.LessOrEqual(t, len(task.Output), chat.MaxTaskOutput+100)

	id = k.send(`call task_read {"task_id":"bg1","offset":500000}`, "say read")
	k.untilEnded(time.Minute, id)
	read := lastCalls(k)[0]
	require.Contains(t, read.Result, fmt.Sprintf("bytes 500000 to 530000 of %d", want))
	require.Contains(t, k.whole(read.ID), "\n87000\n", "any part of it can be read")
	k.wellFormed()
}

func TestBackground_KilledWhileItsRunnerIsAway(t *testing.T) {
	t.Parallel()
	p := newParts(t, "XBOT_RUNNER_WAIT=2s")
	k := p.talk
	id := k.send(k.background("echo begun >> %s; sleep 300; echo never >> %s", k.file("kill"), k.file("kill")), "say started")
	k.untilEnded(time.Minute, id)
	require.Eventually(t, func() bool { return len(k.trace("kill")) == 1 }, time.Minute, 10*time.Millisecond)
	p.runner.kill()
	task, err := k.client.KillTask(t.Context(), k.key, "bg1")
	require.NoError(t, err)
	require.Equal(t, chat.TaskRunning, task.State)
	p.worker.kill() // nobody remembers it but the row
	p.worker.start()
	p.runner.start()
	require.Equal(t, chat.TaskKilled, k.untilTask(crashLimit, "bg1", true).State)
	require.Contains(t, k.untilAnnounced(crashLimit).Content, "killed after")
	require.Equal(t, []string{"begun"}, k.trace("kill"))
	require.Len(t, k.announcements(), 1)
	k.wellFormed()
}

func TestBackground_ALostTaskIsToldOnce(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send(k.background("echo a >> %s; sleep 30; echo b >> %s", k.file("lost"), k.file("lost")), "say started")
	k.untilEnded(time.Minute, id)
	require.Eventually(t, func() bool { return len(k.trace("lost")) == 1 }, time.Minute, 10*time.Millisecond)
	shims := find(t, "xbot-runner shim", k.home)
	require.Len(t, shims, 1)
	signal(t, shims[0], syscall.SIGKILL)
	require.Contains(t, k.untilAnnounced(crashLimit).Content, "outcome unknown")
	require.Equal(t, chat.TaskLost, k.untilTask(time.Minute, "bg1", true).State)
	k.crash()
	k.boot()
	k.untilEnded(time.Minute, k.send("say again"))
	require.Len(t, k.announcements(), 1)
	require.Equal(t, []string{"a"}, k.trace("lost"), "it is not run again")
	k.wellFormed()
}

func TestBackground_AStopLeavesItAlone(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send(k.background("sleep 3; echo done >> %s", k.file("stop")), "then", "stream 400 50ms")
	k.until(time.Minute, "the second step", func(e chat.Event) bool {
		return e.Kind == chat.EventDelta && decode[chat.Delta](t, e).Step == 1
	})
	_, err := k.client.StopTurn(t.Context(), k.key)
	require.NoError(t, err)
	require.Equal(t, chat.TurnStopped, k.untilEnded(time.Minute, id).State)
	require.Contains(t, k.untilAnnounced(time.Minute).Content, "exit code 0")
	require.Equal(t, []string{"done"}, k.trace("stop"))
	k.wellFormed()
}

func TestBackground_WhatTheModelHasReadIsNotAnnounced(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send(k.background("sleep 2; echo read by the model"), "then", `call task_wait {"task_id":"bg1"}`, "say seen")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Contains(t, lastCalls(k)[0].Result, "exit code 0")
	require.Contains(t, lastCalls(k)[0].Result, "read by the model")
	id = k.send(k.background("sleep 100"), "then", `call task_kill {"task_id":"bg2"}`, "then", `call task_status {}`, "say killed")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Contains(t, lastCalls(k)[0].Result, "bg2 · killed after")
	require.Contains(t, lastCalls(k)[0].Result, "bg1 · exit code 0")
	require.Equal(t, []string{"seen", "killed"}, k.answers())
	require.Empty(t, k.announcements())
	k.wellFormed()
}

// untilNotice waits for the answer of a bang command that follows a row of the transcript.
func (k *talk) untilNotice(limit time.Duration, text string) chat.Message {
	k.t.Helper()
	var got chat.Message
	k.until(limit, "a notice with "+text, func(e chat.Event) bool {
		if e.Kind == chat.EventMessage {
			got = decode[chat.Message](k.t, e)
		}
		return got.Role == chat.RoleNotice && got.Origin == chat.OriginCommand && strings.Contains(got.Content, text)
	})
	return got
}

func (k *talk) notices() (out []string) {
	for _, m := range k.transcript().Messages {
		if m.Role == chat.RoleNotice && m.Origin == chat.OriginCommand {
			out = append(out, m.Content)
		}
	}
	return out
}

func TestBang_IsAnsweredBesideARunningTurn(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	id := k.send("stream 100 50ms")
	k.untilDelta(time.Minute)
	k.send("!echo beside; exit 4")
	require.Regexp(t, "^```\nbeside\n```\n\nexit code 4 · \\d\\.\\d s$", k.untilNotice(time.Minute, "beside").Content)
	session, err := k.client.GetSession(t.Context(), k.key)
	require.NoError(t, err)
	require.NotEmpty(t, session.Running, "the turn still runs")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)

	k.send("!seq 1 2000")
	long := k.untilNotice(time.Minute, "whole output").Content
	require.Contains(t, long, "exit code 0")
	require.Regexp(t, `\[whole output, 8\.9 kB\]\(/files/[^)]+\)$`, long)
	require.Less(t, len(long), 4000+1000)
}

func TestBang_ServerKilledWhileItRuns(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	k.send("!echo a >> " + k.file("bang") + "; sleep 5; echo b >> " + k.file("bang") + "; echo over")
	require.Eventually(t, func() bool { return len(k.trace("bang")) == 1 }, time.Minute, 10*time.Millisecond)
	k.crash()
	restarted := time.Now()
	k.boot()
	k.untilNotice(crashLimit, "over")
	t.Logf("bang of 5 s: restart to answer %s", time.Since(restarted).Round(time.Millisecond))
	require.Equal(t, []string{"a", "b"}, k.trace("bang"), "it ran once")
	require.Len(t, k.notices(), 1, "it was answered once")
	id := k.send("say unaware")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	k.wellFormed()
}
