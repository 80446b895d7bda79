package background_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/activities/activitiestest"
	"xbot/activities/background"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/internal/turn/engine"
)

// task makes a command a background task, as its call does.
func task(t *testing.T, command string) (*fixture, chat.CallID) {
	t.Helper()
	arguments, err := json.Marshal(map[string]any{"command": command, "background": true})
	require.NoError(t, err)
	b := setup(t, "call Shell "+string(arguments))
	b.AskForCalls()
	_, err = b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, "bg1", b.ResultOf(0).Task, b.ResultOf(0).Result)
	return b, b.ResultOf(0).ID
}

func (b *fixture) watch(ctx context.Context, call chat.CallID) (background.WatchOutput, error) {
	b.T.Helper()
	var out background.WatchOutput
	err := b.Run(ctx, activities.NameWatch, background.WatchInput{Call: call}, &out)
	return out, err
}

// told is what the next turn of the session is told, empty if nothing.
func (b *fixture) told() string {
	b.T.Helper()
	_, err := b.Turns.FinishTurn(b.T.Context(), activitiestest.Key, activitiestest.Turn, chat.TurnDone, "")
	require.NoError(b.T, err)
	c, _, err := b.Turns.Claim(b.T.Context(), activitiestest.Key, "next", "run", 0)
	require.NoError(b.T, err)
	return c.Text
}

func TestTool_ACommandThatGoesOnBecomesATask(t *testing.T) {
	b, call := task(t, "echo begun; sleep 60")
	require.Equal(t, []chat.CallID{call}, b.Started, "its workflow is started")
	require.Equal(t, chat.CallDone, b.ResultOf(0).State)
	require.Contains(t, b.ResultOf(0).Result, "it runs in the background")
	require.False(t, b.ResultOf(0).IsError)
	again, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.False(t, again.Error)
	require.Len(t, b.EventsOf(chat.EventTask), 1, "a repeated call makes no second one")
	_, err = b.Sandbox.ReadOutput(t.Context(), call, 0, 10)
	require.NoError(t, err, "its output is not released")
}

func TestTool_StartsNoCommandWhileTooManyOfItsUserRun(t *testing.T) {
	b := setup(t, `call Shell {"command":"touch ran"}`)
	b.AskForCalls()
	call := chat.NewCallID(activitiestest.Turn, 0, 0)
	_, err := b.Pool.Exec(t.Context(), `INSERT INTO tool_calls (id, session_key, turn_id, step, n, message_id, provider_id, name, class, arguments, state)
		SELECT 'other.' || i, session_key, turn_id, step, i, message_id, provider_id, name, class, arguments, 'done'
		FROM tool_calls, generate_series(1, $2::int) i WHERE id = $1`, call, chat.MaxTasks)
	require.NoError(t, err)
	_, err = b.Pool.Exec(t.Context(), `INSERT INTO background_tasks (call_id, session_key, user_id, n, command, dir, runner, started_on, started_at)
		SELECT c.id, c.session_key, s.user_id, c.n, 'sleep', '', 'local', 'store', now()
		FROM tool_calls c JOIN sessions s ON s.key = c.session_key WHERE c.id LIKE 'other.%'`)
	require.NoError(t, err)
	out, err := b.RunTool(t.Context(), 0)
	require.NoError(t, err)
	require.True(t, out.Error)
	require.Contains(t, b.ResultOf(0).Result, "64 background tasks run already")
	_, err = b.Sandbox.Stat(t.Context(), "ran")
	require.True(t, fault.Is(err, fault.NotFound), "the command did not run")
}

func TestWatch_RecordsTheEndOnceAndWakesTheSession(t *testing.T) {
	b, call := task(t, "printf 'one\\033[1mtwo\\n'; while [ ! -e go ]; do sleep 0.02; done; exit 7")
	b.Sandbox.Put(t, "go", "")
	out, err := b.watch(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, background.WatchOutput{State: chat.TaskExited, Code: 7}, out)
	out, err = b.watch(t.Context(), call)
	require.NoError(t, err)
	require.Zero(t, out, "it had ended before")
	require.Equal(t, []string{string(activitiestest.Key) + ": background task bg1 ended"}, b.Woken)
	require.Len(t, b.EventsOf(chat.EventTask), 2)
	text := b.told()
	require.True(t, strings.HasPrefix(text, "[background task bg1 ended: exit code 7 after "), text)
	require.True(t, strings.HasSuffix(text, "\nonetwo"), "terminal sequences are taken out: %s", text)
}

func TestWatch_ShowsWhatTheTaskPrints(t *testing.T) {
	b, call := task(t, "echo shown; sleep 60")
	ctx := b.WhenLive(activitiestest.ErrDetach, func(e chat.Event) bool {
		var o chat.Output
		return e.Kind == chat.EventOutput && json.Unmarshal(e.Data, &o) == nil && o.Task == "bg1" && o.Call == call && strings.Contains(o.Text, "shown")
	})
	_, err := b.watch(ctx, call)
	_, again := activitiestest.FaultKind(t, err)
	require.True(t, again, "a worker that stops leaves the task to another")
	run, err := b.Calls.Task(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, chat.TaskRunning, run.State)
	soFar, err := b.Sandbox.Exec(t.Context(), sandbox.ExecRequest{ID: call, Command: "echo shown; sleep 60", Budget: 1})
	require.NoError(t, err)
	require.Equal(t, sandbox.ExecRunning, soFar.State, "the command goes on")
}

func TestWatch_CancelledKillsTheCommand(t *testing.T) {
	b, call := task(t, "echo begun; sleep 60; touch never")
	ctx := b.WhenLive(activitiestest.ErrStop, func(e chat.Event) bool {
		var o chat.Output
		return e.Kind == chat.EventOutput && json.Unmarshal(e.Data, &o) == nil && o.Task == "bg1"
	})
	out, err := b.watch(ctx, call)
	require.NoError(t, err, "the end is recorded")
	require.Equal(t, chat.TaskKilled, out.State)
	require.Contains(t, b.told(), "killed after")
}

func TestWatch_DeliversAKillThatWasAskedBefore(t *testing.T) {
	b, call := task(t, "sleep 60")
	_, err := b.Calls.AskKill(t.Context(), activitiestest.Key, "bg1")
	require.NoError(t, err)
	out, err := b.watch(t.Context(), call)
	require.NoError(t, err)
	require.Equal(t, chat.TaskKilled, out.State)
}

func TestWatch_WhatCanNeverBeKnownIsLost(t *testing.T) {
	t.Run("the runner is not theirs any more", func(t *testing.T) {
		b, call := task(t, "sleep 60")
		b.SandboxErr = fault.Errorf(fault.Denied, "runner laptop was revoked")
		out, err := b.watch(t.Context(), call)
		require.NoError(t, err)
		require.Equal(t, chat.TaskLost, out.State)
		text := b.told()
		require.Contains(t, text, "outcome unknown")
		require.Contains(t, text, "runner laptop was revoked")
	})
	t.Run("its shim died", func(t *testing.T) {
		b, call := task(t, "sleep 60")
		require.NoError(t, b.Sandbox.Kill(t.Context(), call))
		b.Sandbox.Lose(call)
		out, err := b.watch(t.Context(), call)
		require.NoError(t, err)
		require.Equal(t, chat.TaskLost, out.State)
		require.Contains(t, b.told(), "verify its effects before repeating it")
	})
	t.Run("the workflow gave up", func(t *testing.T) {
		b, call := task(t, "sleep 60")
		for range 2 {
			require.NoError(t, b.Run(t.Context(), activities.NameLose, background.WatchInput{Call: call}, nil))
		}
		require.Len(t, b.Woken, 1)
		require.Contains(t, b.told(), "outcome unknown")
	})
}

func TestWatch_OfADeletedSessionHasNothingToDo(t *testing.T) {
	b, call := task(t, "sleep 60")
	require.NoError(t, b.Agents.DeleteSession(t.Context(), activitiestest.Key))
	out, err := b.watch(t.Context(), call)
	require.NoError(t, err)
	require.Zero(t, out)
}

// bang accepts a bang command.
func (b *fixture) bang(command string) chat.InboxID {
	b.T.Helper()
	_, owner, err := b.Conversations.Session(b.T.Context(), activitiestest.Key)
	require.NoError(b.T, err)
	in := engine.NewRow{Session: activitiestest.Key, User: owner, Channel: "web", PlatformID: command, Text: "!" + command}
	got, err := b.Turns.AcceptBang(b.T.Context(), in, command)
	require.NoError(b.T, err)
	return got.ID
}

func (b *fixture) runBang(ctx context.Context, id chat.InboxID) error {
	b.T.Helper()
	return b.Run(ctx, activities.NameRunBang, background.BangInput{Inbox: id}, nil)
}

func TestBang_RunsOnceAndIsAnsweredOnce(t *testing.T) {
	b := setup(t, "say nothing")
	id := b.bang("echo '```' >> count; cat count; exit 2")
	for range 2 {
		require.NoError(t, b.runBang(t.Context(), id))
	}
	require.Regexp(t, "^````\n```\n````\n\nexit code 2 · \\d\\.\\d s$", b.LastMessage().Content)
	require.Equal(t, chat.OriginCommand, b.LastMessage().Origin)
	require.Equal(t, "```\n", b.Sandbox.Get(t, "count"))
}

func TestBang_LongOutputIsBehindALink(t *testing.T) {
	b := setup(t, "say nothing")
	id := b.bang("seq 1 100000")
	require.NoError(t, b.runBang(t.Context(), id))
	text := b.LastMessage().Content
	require.Contains(t, text, "exit code 0")
	exec := chat.Bang{Inbox: id}.ExecID()
	require.True(t, strings.HasSuffix(text, "[whole output, 588.9 kB](/files/test-"+string(exec)+"-"+string(exec)+".txt)"), text[4000:])
	require.Less(t, len(text), 4300)
	_, err := b.Sandbox.ReadOutput(t.Context(), exec, 0, 10)
	require.NoError(t, err, "the runner keeps it")
}

func TestBang_RunsWithinTheWallsOfItsConversation(t *testing.T) {
	b := setup(t, "say nothing")
	n := &activitiestest.Narrow{Sandbox: b.Sandbox}
	b.Commands.Sandboxes = activities.Sandboxes{RunnerSandboxes: n, Confinements: n}
	require.NoError(t, b.runBang(t.Context(), b.bang("true")))
	require.Len(t, n.Asked, 1)
	require.Equal(t, chat.Confinement{Offline: true}, n.Asked[0].Confinement)
}

func TestBang_WhatCannotRunIsSaid(t *testing.T) {
	b := setup(t, "say nothing")
	id := b.bang("ls")
	b.SandboxErr = fault.Errorf(fault.Denied, "connect a runner of your own")
	require.NoError(t, b.runBang(t.Context(), id))
	require.Equal(t, "Not run: connect a runner of your own", b.LastMessage().Content)

	b.SandboxErr = nil
	b.Commands.Sandboxes = activities.Sandboxes{RunnerSandboxes: activitiestest.Unreachable{Fixture: b.Fixture}}
	require.NoError(t, b.runBang(t.Context(), b.bang("pwd")))
	require.Contains(t, b.LastMessage().Content, "Not run: runner local is offline (waited 5 s)")

	b.SandboxErr = fault.Errorf(fault.Unavailable, "Postgres is away")
	b.Commands.Sandboxes = activities.Sandboxes{RunnerSandboxes: b}
	_, again := activitiestest.FaultKind(t, b.runBang(t.Context(), b.bang("true")))
	require.True(t, again, "an outage of our own is tried again")

	id = b.bang("false")
	for range 2 {
		require.NoError(t, b.Run(t.Context(), activities.NameEndBang, background.BangInput{Inbox: id}, nil))
	}
	require.Equal(t, i18n.Say(i18n.English, i18n.BangBroken), b.LastMessage().Content)
}

// tick is the pause between looks.
const tick = 5 * time.Millisecond

// began reports whether a command has made a file.
func (b *fixture) began(name string) bool {
	_, err := os.Stat(filepath.Join(b.Sandbox.Workspace(), name))
	return err == nil
}

// when ends the returned context for a reason once a command has made a file.
func (b *fixture) when(name string, reason error) context.Context {
	ctx, cancel := context.WithCancelCause(b.T.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil && !b.began(name) {
			select {
			case <-time.After(tick):
			case <-ctx.Done():
			}
		}
		cancel(reason)
	}()
	b.T.Cleanup(func() { cancel(nil); <-ended })
	return ctx
}

func TestBang_IsFoundAgainByAnotherAttemptAndKilledByACancellation(t *testing.T) {
	b := setup(t, "say nothing")
	id := b.bang("echo run >> count; while [ ! -e go ]; do sleep 0.02; done; cat count")
	_, again := activitiestest.FaultKind(t, b.runBang(b.when("count", activitiestest.ErrDetach), id))
	require.True(t, again)
	b.Sandbox.Put(t, "go", "")
	require.NoError(t, b.runBang(t.Context(), id))
	require.Contains(t, b.LastMessage().Content, "```\nrun\n```")

	id = b.bang("touch begun; sleep 60")
	require.NoError(t, b.runBang(b.when("begun", activitiestest.ErrStop), id))
	require.Contains(t, b.LastMessage().Content, "killed after")
}

func TestBang_SaysWhichFilesItDidNotFindInItsFolder(t *testing.T) {
	b := setup(t, "say nothing")
	b.Commands.Store = withFiles{b.Store.Turns, []chat.AttachmentFetch{
		{Attachment: chat.Attachment{Kind: "file", Name: "here.txt"}, N: 1, State: chat.AttachmentStored, Path: "/w/here.txt"},
		{Attachment: chat.Attachment{Kind: "file", Name: "twice.txt"}, N: 2, State: chat.AttachmentStored, Path: "/w/inbox/twice.txt", Runner: "local"},
		{Attachment: chat.Attachment{Kind: "image"}, N: 3, State: chat.AttachmentFailed, Problem: "the link has expired"},
		{Attachment: chat.Attachment{Kind: "file", Name: "late.txt"}, N: 4, State: chat.AttachmentWaiting},
	}}
	require.NoError(t, b.runBang(t.Context(), b.bang("true")))
	_, said, _ := strings.Cut(b.LastMessage().Content, "\n")
	require.Equal(t, "twice.txt is at `/w/inbox/twice.txt`\n⚠️ image 3 was not fetched: the link has expired\n⚠️ late.txt was not fetched: it did not arrive in time", said)
}

// withFiles are bang commands that came with files.
type withFiles struct {
	*engine.Store

	files []chat.AttachmentFetch
}

func (w withFiles) Bang(ctx context.Context, id chat.InboxID) (chat.Bang, error) {
	b, err := w.Store.Bang(ctx, id)
	b.Files = w.files
	return b, err
}
