// Package task holds the tools with which a model looks after the background tasks of a session: commands that continue
// after their call got a result, subagents and chats among agents that work for it, and runs of its jobs.
package task

import (
	"context"
	"fmt"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

// List keeps the tasks of sessions. Their ends are recorded by the workflows that follow them.
type List interface {
	Tasks(ctx context.Context, key chat.SessionKey) ([]chat.Task, error) // newest first, without output
	FindTask(ctx context.Context, key chat.SessionKey, id string) (chat.Task, error)
}

// Finder finds the sandbox of a runner for a user: Denied if they may not use it. A task may run elsewhere than the
// session's commands do by now.
type Finder interface {
	Box(ctx context.Context, user chat.UserID, runner string) (sandbox.Sandbox, error)
}

// lookEvery is the pause between looks at a task whose end is waited for.
const lookEvery = 250 * time.Millisecond

// line returns a task on one line.
func line(t chat.Task) string {
	about := tool.OneLine(t.Command, 120)
	if t.Kind != "" {
		about = string(t.Kind) + " · " + about
	}
	return fmt.Sprintf("%s · %s · %s", t.ID, t.Ending(time.Now()), about)
}

// markReported adds to a result the tasks whose end it reports, so that they are not announced as well.
func markReported(r chat.ToolResult, tasks ...chat.Task) chat.ToolResult {
	for _, t := range tasks {
		if t.State != chat.TaskRunning && t.Call != "" {
			r.Told = append(r.Told, t.Call)
		}
	}
	return r
}

// until looks at a task until it has ended, or the time is over; then the task is as it was seen last.
func until(ctx context.Context, list List, key chat.SessionKey, id string, wait time.Duration) (chat.Task, error) {
	over := time.NewTimer(wait)
	defer over.Stop()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		t, err := list.FindTask(ctx, key, id)
		if err != nil || t.State != chat.TaskRunning {
			return t, err
		}
		select {
		case <-ctx.Done():
			return t, context.Cause(ctx)
		case <-over.C:
			return t, nil
		case <-ticker.C:
		}
	}
}

// withOutput returns a task on one line with the end of what it wrote, at most limit bytes.
func withOutput(t chat.Task, limit int) string {
	if t.State == chat.TaskRunning {
		return line(t)
	}
	output := strings.TrimRight(t.Output, " \n")
	if output == "" {
		output = "(no output)"
	}
	return line(t) + "\n" + tool.Bound(output, limit)
}
