// Package background follows commands that run in parallel to turns: background tasks and bang commands.
package background

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
	"xbot/internal/turn/prompt"
)

const (
	// TaskCeiling is how long a task may run: the runner kills it then.
	TaskCeiling = 24 * time.Hour
	// taskMargin is the time that a runner which was out of reach has to come back and report how the task ended.
	taskMargin = time.Hour
	// taskHeartbeat is the interval of heartbeats: longer than in a turn, so that a day of waiting costs little.
	taskHeartbeat = 3 * time.Second
)

// Tasks keeps background tasks.
type Tasks interface {
	Task(ctx context.Context, call chat.CallID) (chat.TaskRun, error)
	AskKillOf(ctx context.Context, call chat.CallID) error
	KillRequested(ctx context.Context, call chat.CallID) (bool, error)
	EndTask(ctx context.Context, call chat.CallID, end chat.TaskEnd) (bool, error)
}

// TaskOutputs opens where users see what a task prints, from an offset on.
type TaskOutputs interface {
	OpenTaskOutput(t chat.TaskRun, offset int64) activities.Output
}

// Background follows commands that outlived their time in the foreground.
type Background struct {
	Tasks     Tasks
	Sandboxes activities.Sandboxes
	Outputs   TaskOutputs
}

// WatchInput names a task by the call that started it.
type WatchInput struct {
	Call chat.CallID `json:"call"`
}

// WatchOutput is the end of a task. The rest is in Postgres.
type WatchOutput struct {
	State chat.TaskState `json:"state,omitempty"` // empty: it had ended before, or its session was deleted
	Code  int            `json:"code,omitempty"`
}

// Watch follows the command of a task to its end, records the end and wakes the session. It is safe to run any number of times: it attaches to the
// command, and keeps the first end recorded. Cancelled, it kills the command.
func (b *Background) Watch(ctx context.Context, in WatchInput) (WatchOutput, error) {
	w := &watch{Background: b}
	if activity.HasHeartbeatDetails(ctx) {
		var offset int64
		if activity.GetHeartbeatDetails(ctx, &offset) == nil {
			w.offset.Store(offset)
		}
	}
	defer activities.HeartbeatWith(ctx, taskHeartbeat, func() any { return w.offset.Load() })()
	task, err := b.Tasks.Task(ctx, in.Call)
	if fault.Is(err, fault.NotFound) {
		return WatchOutput{}, nil // the session is gone; the runner ends the command at its ceiling
	}
	if err != nil || task.State != chat.TaskRunning {
		return WatchOutput{}, activities.Failure(ctx, err)
	}
	w.task = task
	end, err := w.end(ctx)
	if err != nil {
		return WatchOutput{}, activities.Failure(ctx, err)
	}
	masker, err := b.Sandboxes.Masker(ctx, task.Session)
	if err != nil {
		return WatchOutput{}, activities.Failure(ctx, err)
	}
	end.Output = masker.Text(end.Output)
	if err := b.close(ctx, task, end); err != nil {
		return WatchOutput{}, activities.Failure(ctx, err)
	}
	return WatchOutput{State: end.State, Code: end.Code}, nil
}

// Lose records that the outcome of a task is unknown. An end that was recorded earlier stays.
func (b *Background) Lose(ctx context.Context, in WatchInput) error {
	task, err := b.Tasks.Task(ctx, in.Call)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err == nil && task.State == chat.TaskRunning {
		err = b.close(ctx, task, lost("The server could not follow it any longer. Verify its effects before repeating it."))
	}
	return activities.Failure(ctx, err)
}

// NoteKill records the kill of a task whose workflow was cancelled while the runner could not be reached. The next workflow of the task, which the
// relay starts, sends the kill to the runner.
func (b *Background) NoteKill(ctx context.Context, in WatchInput) error {
	return activities.Failure(ctx, b.Tasks.AskKillOf(ctx, in.Call))
}

func lost(why string) chat.TaskEnd {
	return chat.TaskEnd{State: chat.TaskLost, Ended: time.Now(), Output: why}
}

// close records an end, which wakes the session, also if the activity was cancelled.
func (b *Background) close(ctx context.Context, task chat.TaskRun, end chat.TaskEnd) error {
	ctx, cancel := activities.Settling(ctx)
	defer cancel()
	task.State, task.Code, task.Total, task.Output, task.EndedAt = end.State, end.Code, end.Total, end.Output, &end.Ended
	end.Announcement = prompt.TaskEnded(task.Task)
	_, err := b.Tasks.EndTask(ctx, task.Call, end)
	return err
}

// watch is one attempt to follow a task.
type watch struct {
	*Background

	task   chat.TaskRun
	offset atomic.Int64 // of the output that was shown
}

// end waits until the command has ended. If its outcome can never be known, it ends as lost.
func (w *watch) end(ctx context.Context) (chat.TaskEnd, error) {
	box, err := w.Sandboxes.ForStartedWork(ctx, w.task.Session, w.task.User, w.task.Runner)
	if fault.Is(err, fault.Denied) || fault.Is(err, fault.NotFound) {
		return lost("Its runner can be used no more: " + err.Error()), nil
	}
	if err != nil {
		return chat.TaskEnd{}, err
	}
	ceiling, cancel := context.WithDeadlineCause(ctx, w.task.StartedAt.Add(TaskCeiling+taskMargin), errCeiling)
	defer cancel()
	result, err := w.follow(ceiling, box)
	switch fault.KindOf(err) {
	case "":
		return endOf(result), nil
	case fault.Invalid, fault.Denied, fault.NotFound, fault.Conflict:
		return lost("Its runner does not know it any more: " + err.Error()), nil
	}
	if errors.Is(context.Cause(ceiling), errCeiling) {
		return lost("Its runner " + w.task.Runner + " was out of reach when the task had to end at the latest."), nil
	}
	return chat.TaskEnd{}, err
}

var errCeiling = errors.New("the task is over its ceiling")

// follow attaches to the command. It sees the end of the activity's context only after a kill was tried.
func (w *watch) follow(ctx context.Context, box sandbox.Sandbox) (sandbox.ExecResult, error) {
	running, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		w.killOnRequest(ctx, running, box, ended)
		cancel(context.Cause(ctx))
	}()
	defer func() { close(ended); cancel(nil); <-watched }()
	out := w.Outputs.OpenTaskOutput(w.task, w.offset.Load())
	defer out.Close()
	show := &activities.Printer{Out: out}
	return box.Exec(running, sandbox.ExecRequest{
		ID: w.task.Call, Command: w.task.Command, Dir: w.task.Dir, Env: w.task.Env, Timeout: TaskCeiling, Limit: chat.MaxTaskOutput,
		Offset: w.offset.Load(), StartedOn: w.task.StartedOn,
		Output: func(offset int64, piece []byte) {
			show.Write(offset, piece)
			w.offset.Store(offset + int64(len(piece)))
		},
	})
}

// killOnRequest kills the command when the workflow is cancelled or a user asked for the kill. While the runner is out of reach it repeats a kill
// that a user asked for. It returns when the command has ended, or after ctx has ended; if that was a stop, it first waits a moment for the end of
// the command.
func (w *watch) killOnRequest(ctx, running context.Context, box sandbox.Sandbox, ended <-chan struct{}) {
	ticker := time.NewTicker(taskHeartbeat)
	defer ticker.Stop()
	for {
		if asked, err := w.Tasks.KillRequested(ctx, w.task.Call); err == nil && asked {
			_ = w.kill(running, box) // tried again as long as the command runs
		}
		select {
		case <-ended:
			return
		case <-ticker.C:
		case <-ctx.Done():
			if activities.Stopped(ctx) {
				w.stop(running, box, ended)
			}
			return
		}
	}
}

// kill tries for a moment to kill the command.
func (w *watch) kill(ctx context.Context, box sandbox.Sandbox) error {
	ctx, cancel := context.WithTimeout(ctx, activities.KillGrace)
	defer cancel()
	return box.Kill(ctx, w.task.Call)
}

// stop kills the command of a workflow that was cancelled and waits a moment for its end.
func (w *watch) stop(ctx context.Context, box sandbox.Sandbox, ended <-chan struct{}) {
	if w.kill(ctx, box) != nil {
		return
	}
	select {
	case <-ended:
	case <-time.After(2 * activities.KillGrace):
	}
}

func endOf(r sandbox.ExecResult) chat.TaskEnd {
	end := chat.TaskEnd{
		State: chat.TaskLost, Code: r.Code, Total: r.Total, Ended: r.Ended,
		Output: tool.Bound(strings.TrimRight(tool.Clean(r.Output), " \n"), chat.MaxTaskOutput),
	}
	switch r.State {
	case sandbox.ExecExited:
		end.State = chat.TaskExited
	case sandbox.ExecKilled:
		end.State = chat.TaskKilled
	case sandbox.ExecTimedOut:
		end.State = chat.TaskTimedOut
	case sandbox.ExecLost, sandbox.ExecRunning:
		end.Output = strings.TrimSpace(end.Output + "\nIt may have run in part or in full: verify its effects before repeating it.")
	}
	if end.Ended.IsZero() {
		end.Ended = time.Now()
	}
	return end
}
