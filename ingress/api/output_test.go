package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/sandbox"
)

// task makes background task bg1 of the session out of a call, as its row stands after its end.
func (d *drive) task(output string, total int, state chat.TaskState) chat.CallID {
	d.t.Helper()
	ctx := d.t.Context()
	d.alice.say(d.key, "m1", "run it").is(http.StatusAccepted, nil)
	d.claim(d.key, "t1")
	step := chat.Step{Session: d.key, Turn: "t1"}
	_, _, _, err := d.store.Turns.BeginStep(ctx, step)
	require.NoError(d.t, err)
	id := chat.CallID("t1.0.0")
	_, err = d.store.Turns.CommitStep(ctx, step, chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{{ID: id, Name: "Shell", Class: chat.ClassExec}}})
	require.NoError(d.t, err)
	_, err = d.pool.Exec(ctx, `INSERT INTO background_tasks (call_id, session_key, user_id, n, command, dir, runner, started_on, started_at, state, output, total, ended_at)
		VALUES ($1, $2, $3, 1, 'seq', '', 'test', 'store', now(), $4, $5, $6, now())`, id, d.key, d.alice.user.ID, string(state), output, total)
	require.NoError(d.t, err)
	return id
}

func TestOutput_ComesFromTheTasksRunnerWhileItKeepsIt(t *testing.T) {
	d := setupDrive(t)
	id := d.task("head and tail", 1_000_000, chat.TaskExited)
	_, err := d.box.Exec(t.Context(), sandbox.ExecRequest{ID: id, Command: "printf '\\033[1mwhole\\033[0m <script>'", Dir: "."})
	require.NoError(t, err)
	a := d.alice.get(path(d.key, "/tasks/bg1/output"))
	a.is(http.StatusOK, nil)
	require.Equal(t, "\x1b[1mwhole\x1b[0m <script>", string(a.body), "every byte as it was written")
	require.Equal(t, "text/plain; charset=utf-8", a.header.Get("Content-Type"))
	require.True(t, strings.HasPrefix(a.header.Get("Content-Disposition"), `attachment; filename="bg1.txt"`))
	require.Equal(t, "sandbox; default-src 'none'", a.header.Get("Content-Security-Policy"))
	d.alice.get(path(d.key, "/tasks/bg2/output")).problem(http.StatusNotFound)
	d.alice.get(path(d.key, "/tasks/nothing/output")).problem(http.StatusNotFound)
	d.boxes.of[d.alice.user.ID] = offline{}
	require.Contains(t, d.alice.get(path(d.key, "/tasks/bg1/output")).problem(http.StatusServiceUnavailable), "laptop is offline")
}

func TestOutput_OfAShortTaskOutlivesItsRunnersMemory(t *testing.T) {
	d := setupDrive(t)
	d.task("all of it", 9, chat.TaskExited)
	a := d.alice.get(path(d.key, "/tasks/bg1/output"))
	a.is(http.StatusOK, nil)
	require.Equal(t, "all of it", string(a.body))
	require.True(t, strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment;"))
}

func TestOutput_ThatIsGoneIsNotMadeUp(t *testing.T) {
	d := setupDrive(t)
	d.task("head\n[…]\ntail", 1_000_000, chat.TaskExited)
	require.Contains(t, d.alice.get(path(d.key, "/tasks/bg1/output")).problem(http.StatusNotFound), "does not keep the output of bg1 any more")
}
