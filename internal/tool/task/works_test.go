package task_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/task"
)

// works is what others do for a conversation. A kill stops it at once.
type works []chat.Task

func (w works) Tasks(context.Context, chat.SessionKey) ([]chat.Task, error) { return w, nil }

func (w works) FindTask(_ context.Context, _ chat.SessionKey, id string) (chat.Task, error) {
	for _, t := range w {
		if t.ID == id {
			return t, nil
		}
	}
	return chat.Task{}, fault.Errorf(fault.NotFound, "there is no background task %q", id)
}

func (w works) AskKill(_ context.Context, _ chat.SessionKey, id string) (chat.Task, error) {
	for i, t := range w {
		if t.ID == id {
			w[i].State, w[i].How, w[i].Call, w[i].Output = chat.TaskKilled, "stopped", "turn-a", "[it was stopped]"
			return t, nil
		}
	}
	return chat.Task{}, fault.Errorf(fault.NotFound, "there is no background task %q", id)
}

func TestTools_LookAfterTheWorkOfOthers(t *testing.T) {
	t.Parallel()
	ended := time.Now()
	all := works{
		{ID: "coder:a", Kind: chat.TaskSubagent, State: chat.TaskRunning, Command: "do it", StartedAt: ended.Add(-time.Hour), Output: "half of it"},
		{ID: "g1", Kind: chat.TaskGroup, State: chat.TaskExited, How: "over (agreed)", Call: "group/g1", Command: "why", StartedAt: ended.Add(-time.Minute), EndedAt: &ended, Output: "a\nb\nc"},
		{ID: "job_1", Kind: chat.TaskJob, State: chat.TaskRunning, How: "waiting to begin", Command: "news", StartedAt: ended},
	}
	run := func(which tool.Tool, arguments string) chat.ToolResult {
		result, err := which.Run(t.Context(), tool.Call{ID: "t1.0.0", Session: "agent:main:web:thread:t", Arguments: arguments})
		require.NoError(t, err)
		return result
	}
	status := run(task.NewStatus(all), `{}`)
	require.Regexp(t, `^coder:a · running for 60 min · subagent · do it\ng1 · over \(agreed\) after 60 s · group chat · why\njob_1 · waiting to begin for .* · cron job · news$`, status.Content)
	require.Empty(t, status.Told, "a line does not hold what was said")
	require.Empty(t, run(task.NewStatus(all), `{"task_id":"g1"}`).Told)

	read := task.NewRead(all, nil)
	require.True(t, strings.HasSuffix(run(read, `{"task_id":"coder:a"}`).Content, "do it\nhalf of it"), "what goes on is read, too")
	require.True(t, strings.HasSuffix(run(read, `{"task_id":"g1","lines":2}`).Content, "why\nb\nc"))
	require.Equal(t, []chat.CallID{"group/g1"}, run(read, `{"task_id":"g1"}`).Told)
	require.True(t, strings.HasSuffix(run(read, `{"task_id":"g1","offset":4}`).Content, "why\nc"))
	require.True(t, run(read, `{"task_id":"g2"}`).IsError)

	wait := task.NewWait(all)
	require.NotContains(t, run(wait, `{"task_id":["g1","coder:a"],"mode":"any"}`).Content, "time is up")
	require.Contains(t, run(wait, `{"task_id":["g1","coder:a"],"timeout":1}`).Content, "[time is up; you will be told when they end]")
	require.Contains(t, run(wait, `{"task_id":["job_1"],"timeout":1}`).Content, "[time is up]", "a person is told")

	kill := task.NewKill(all, task.Killer{Kills: all})
	killed := run(kill, `{"task_id":"coder:a"}`)
	require.Regexp(t, `^coder:a · stopped after 60 min · subagent · do it\n\[it was stopped\]$`, killed.Content)
	require.Equal(t, []chat.CallID{"turn-a"}, killed.Told)
}
