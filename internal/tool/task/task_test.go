package task_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
	"xbot/internal/tool/task"
	"xbot/internal/tool/tooltest"
)

// fakeStore is a session with tasks in a sandbox. It stands in for the store and for the workflows that follow tasks.
type fakeStore struct {
	t   *testing.T
	box *tooltest.Box

	mu    sync.Mutex
	tasks []chat.Task
	asked []string
	away  error // why the runner cannot be reached
}

func setup(t *testing.T) *fakeStore {
	t.Helper()
	t.Parallel()
	return &fakeStore{t: t, box: tooltest.New(t)}
}

// start makes a command a background task that is followed to its end.
func (d *fakeStore) start(command string) string {
	d.t.Helper()
	id := chat.TaskID(len(d.tasks) + 1)
	call := chat.CallID("turn.0." + id)
	req := sandbox.ExecRequest{ID: call, Command: command, Budget: time.Millisecond}
	_, err := d.box.Exec(d.t.Context(), req)
	require.NoError(d.t, err)
	d.mu.Lock()
	n := len(d.tasks)
	d.tasks = append(d.tasks, chat.Task{ID: id, Call: call, Command: command, Runner: "test", State: chat.TaskRunning, StartedAt: time.Now()})
	d.mu.Unlock()
	req.Budget = 0
	go func() {
		end, err := d.box.Exec(context.Background(), req)
		if err != nil {
			return // the test is over
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		t := &d.tasks[n]
		t.State, t.Code, t.Total, t.Output, t.EndedAt = chat.TaskState(end.State), end.Code, end.Total, string(end.Output), &end.Ended
	}()
	return id
}

func (d *fakeStore) Tasks(context.Context, chat.SessionKey) (out []chat.Task, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range d.tasks {
		out = append(out, d.tasks[len(d.tasks)-1-i])
	}
	return out, nil
}

func (d *fakeStore) FindTask(_ context.Context, _ chat.SessionKey, id string) (chat.Task, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, ok := chat.TaskNumber(id)
	if !ok || n > len(d.tasks) {
		return chat.Task{}, fault.Errorf(fault.NotFound, "there is no background task %q", id)
	}
	return d.tasks[n-1], nil
}

func (d *fakeStore) AskKill(ctx context.Context, key chat.SessionKey, id string) (chat.Task, error) {
	t, err := d.FindTask(ctx, key, id)
	if err == nil {
		d.asked = append(d.asked, t.ID)
	}
	return t, err
}

func (d *fakeStore) Box(context.Context, chat.UserID, string) (sandbox.Sandbox, error) {
	return d.box, d.away
}

func (d *fakeStore) run(t tool.Tool, arguments string) chat.ToolResult {
	d.t.Helper()
	result, err := t.Run(d.t.Context(), d.box.Call("turn.1.0", arguments))
	require.NoError(d.t, err)
	return result
}

func (d *fakeStore) untilEnded(id string) {
	d.t.Helper()
	require.Eventually(d.t, func() bool {
		t, err := d.FindTask(d.t.Context(), "", id)
		return err == nil && t.State != chat.TaskRunning
	}, 10*time.Second, 5*time.Millisecond)
}

func TestStatus_TellsOfOneAndOfAll(t *testing.T) {
	d := setup(t)
	status := task.NewStatus(d)
	require.Equal(t, "no background tasks", d.run(status, `{}`).Content)
	d.start("exit 3")
	d.start("sleep 60")
	d.untilEnded("bg1")
	all := d.run(status, `{}`)
	require.Regexp(t, `^bg2 · running for .* · sleep 60\nbg1 · exit code 3 after .* · exit 3$`, all.Content)
	require.Equal(t, []chat.CallID{"turn.0.bg1"}, all.Told, "only what has ended is told")
	require.Empty(t, d.run(status, `{"task_id":"bg2"}`).Told)
	missing := d.run(status, `{"task_id":"bg3"}`)
	require.True(t, missing.IsError)
	require.Contains(t, missing.Content, `no background task "bg3"`)
}

func TestWait_ReturnsWhenAllHaveEndedOrAnyOrTheTimeIsUp(t *testing.T) {
	d := setup(t)
	wait := task.NewWait(d)
	d.start("echo one; while [ ! -e go ]; do sleep 0.02; done")
	d.start("echo two; exit 5")
	either := d.run(wait, `{"task_id":["bg1","bg2"],"mode":"any"}`)
	require.Contains(t, either.Content, "bg1 · running")
	require.Contains(t, either.Content, "bg2 · exit code 5")
	require.Contains(t, either.Content, "two")
	require.NotContains(t, either.Content, "time is up")
	require.Equal(t, []chat.CallID{"turn.0.bg2"}, either.Told)

	late := d.run(wait, `{"task_id":"bg1","timeout":1}`)
	require.Contains(t, late.Content, "[time is up; you will be told when they end]")
	require.Empty(t, late.Told)

	d.box.Put(t, "go", "")
	both := d.run(wait, `{"task_id":["bg1","bg2"]}`)
	require.Contains(t, both.Content, "bg1 · exit code 0")
	require.Len(t, both.Told, 2)
}

func TestWait_EndsWithItsContext(t *testing.T) {
	d := setup(t)
	d.start("sleep 60")
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := fmt.Errorf("stopped")
	cancel(stop)
	_, err := task.NewWait(d).Run(ctx, d.box.Call("turn.1.0", `{"task_id":"bg1"}`))
	require.ErrorIs(t, err, stop)
}

func TestWait_RefusesWhatItCannotWaitFor(t *testing.T) {
	d := setup(t)
	d.start("true")
	for arguments, want := range map[string]string{
		`{}`:                                    "the argument task_id is missing",
		`{"task_id":[]}`:                        "name one or more tasks",
		`{"task_id":"bg9"}`:                     `no background task "bg9"`,
		`{"task_id":"bg1","mode":"some"}`:       "mode must be all or any",
		`{"task_id":"bg1","timeout":301}`:       "between 1 and 300 seconds",
		`{"task_id":[1,2,3,4,5,6,7,8,9,10,11]}`: "at most 10 tasks",
	} {
		result := d.run(task.NewWait(d), arguments)
		require.True(t, result.IsError, arguments)
		require.Contains(t, result.Content, want)
	}
}

func TestKill_EndsATaskAndTellsItsEnd(t *testing.T) {
	d := setup(t)
	d.start("echo begun; sleep 60")
	kill := task.NewKill(d, task.Killer{Kills: d, Sandboxes: d})
	result := d.run(kill, `{"task_id":"bg1"}`)
	require.Contains(t, result.Content, "bg1 · killed after")
	require.Contains(t, result.Content, "begun")
	require.Equal(t, []chat.CallID{"turn.0.bg1"}, result.Told)
	require.Equal(t, result.Content, d.run(kill, `{"task_id":"bg1"}`).Content, "again it changes nothing")
}

func TestKill_OfATaskThatCannotBeReachedIsNoted(t *testing.T) {
	d := setup(t)
	d.start("sleep 60")
	d.away = fault.Errorf(fault.Unavailable, "runner test is offline")
	result := d.run(task.NewKill(d, task.Killer{Kills: d, Sandboxes: d}), `{"task_id":"bg1"}`)
	require.Contains(t, result.Content, "it will be killed as soon as it can")
	require.Empty(t, result.Told)
	require.Equal(t, []string{"bg1"}, d.asked)
}

func TestRead_ReadsAnyPartOfAllThatWasWritten(t *testing.T) {
	d := setup(t)
	d.start("seq 1 20000; while [ ! -e go ]; do sleep 0.02; done; echo over")
	read := task.NewRead(d, d)
	require.Eventually(t, func() bool { return strings.Contains(d.run(read, `{"task_id":"bg1"}`).Content, "20000") }, 10*time.Second, 10*time.Millisecond)
	end := d.run(read, `{"task_id":"bg1","lines":2}`)
	require.Regexp(t, `^\[bg1: running for .*; the end of 108894 bytes\]\n19999\n20000$`, end.Content)
	require.Empty(t, end.Told)
	part := d.run(read, `{"task_id":"bg1","offset":48894}`)
	require.Contains(t, part.Content, "bytes 48894 to 78894 of 108894]\n10001\n10002\n")
	require.True(t, d.run(read, `{"task_id":"bg1","offset":200000}`).IsError)
	require.True(t, d.run(read, `{"task_id":"bg1","lines":-1}`).IsError)

	d.box.Put(t, "go", "")
	d.untilEnded("bg1")
	done := d.run(read, `{"task_id":"bg1","lines":1}`)
	require.Regexp(t, `^\[bg1: exit code 0 after .*\]\nover$`, done.Content)
	require.Len(t, done.Told, 1)
}

func TestRead_FallsBackToWhatWasKept(t *testing.T) {
	d := setup(t)
	d.start("echo kept")
	d.untilEnded("bg1")
	require.NoError(t, d.box.Release(t.Context(), "turn.0.bg1"))
	result := d.run(task.NewRead(d, d), `{"task_id":"bg1"}`)
	require.Contains(t, result.Content, "this is from what was kept]\nkept")
	require.Len(t, result.Told, 1)

	d.start("sleep 60")
	d.away = fault.Errorf(fault.Unavailable, "runner test is offline")
	result = d.run(task.NewRead(d, d), `{"task_id":"bg2"}`)
	require.True(t, result.IsError)
	require.Contains(t, result.Content, "the output cannot be read now: runner test is offline")
}
