package calls

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
	"xbot/internal/turn/dbsqlc"
)

// KindBackground is the kind of inbox rows that report the end of a task to a session.
const KindBackground = "background"

// maxTasks limits the listed tasks of a session.
const maxTasks = 100

// beginTask makes the command of a call that has just got its result a background task. The call's result gets a line
// that names it.
func beginTask(ctx context.Context, t *pg.Tx, id chat.CallID, b chat.Background) (dbsqlc.ToolCall, error) {
	task, err := dbsqlc.Q.TaskInsert(ctx, t, dbsqlc.TaskInsertParams{
		CallID: id, Command: chat.Clean(b.Command), Dir: b.Dir, Runner: b.Runner, StartedAt: b.StartedAt,
	})
	if err != nil {
		return dbsqlc.ToolCall{}, fmt.Errorf("make call %s a background task: %w", id, err)
	}
	name := chat.TaskID(int(task.N))
	call, err := dbsqlc.Q.CallSetTask(ctx, t, dbsqlc.CallSetTaskParams{ID: id, Task: name, Suffix: "\ntask_id: " + name})
	if err != nil {
		return dbsqlc.ToolCall{}, fmt.Errorf("name the task of call %s: %w", id, err)
	}
	t.Emit(task.SessionKey, chat.EventTask, taskOf(task, false))
	t.Wake(chat.Wake{Kind: chat.WakeTask, ID: string(id)})
	return call, nil
}

// Task returns the background task of a call, for the workflow that follows it; NotFound if its session was deleted.
func (s *Store) Task(ctx context.Context, call chat.CallID) (chat.TaskRun, error) {
	row, err := dbsqlc.Q.TaskGet(ctx, s.db.Pool, call)
	if err != nil {
		return chat.TaskRun{}, pg.Classify(fmt.Errorf("read the task of call %s: %w", call, err))
	}
	b := row.BackgroundTask
	env, err := s.CommandEnv(ctx, b.SessionKey, row.TurnID, 0)
	if err != nil {
		return chat.TaskRun{}, err
	}
	return chat.TaskRun{
		Task: taskOf(b, true), Session: b.SessionKey, Turn: row.TurnID, User: b.UserID, UserName: row.UserName, Channel: row.Channel,
		Dir: b.Dir, Env: env, StartedOn: b.StartedOn,
	}, nil
}

// Tasks lists the newest tasks of a session, newest first, without their output.
func (s *Store) Tasks(ctx context.Context, key chat.SessionKey) ([]chat.Task, error) {
	rows, err := dbsqlc.Q.TaskList(ctx, s.db.Pool, dbsqlc.TaskListParams{SessionKey: key, Limit: maxTasks})
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("list tasks: %w", err))
	}
	out := make([]chat.Task, len(rows))
	for i, r := range rows {
		out[i] = taskOf(dbsqlc.BackgroundTask(r), false)
	}
	return out, nil
}

// FindTask returns a task of a session by its short id, with its output; NotFound if there is none.
func (s *Store) FindTask(ctx context.Context, key chat.SessionKey, id string) (chat.Task, error) {
	n, ok := chat.TaskNumber(id)
	if !ok {
		return chat.Task{}, NoTask(id)
	}
	row, err := dbsqlc.Q.TaskFind(ctx, s.db.Pool, dbsqlc.TaskFindParams{SessionKey: key, N: int32(n)})
	if errors.Is(err, pgx.ErrNoRows) {
		return chat.Task{}, NoTask(id)
	}
	return taskOf(row, true), pg.Classify(err)
}

// NoTask returns the error for an unknown background task.
func NoTask(id string) error {
	return fault.Errorf(fault.NotFound, "there is no background task %q in this conversation", id)
}

// AskKill records that a task is to be killed; the workflow that follows the task sends the kill as soon as the runner can
// be reached. A second call, or one for a task that has ended, changes nothing.
func (s *Store) AskKill(ctx context.Context, key chat.SessionKey, id string) (chat.Task, error) {
	task, err := s.FindTask(ctx, key, id)
	if err != nil || task.State != chat.TaskRunning {
		return task, err
	}
	n, _ := chat.TaskNumber(id) // FindTask has parsed it
	row, err := dbsqlc.Q.TaskAskKill(ctx, s.db.Pool, dbsqlc.TaskAskKillParams{SessionKey: key, N: int32(n)})
	if errors.Is(err, pgx.ErrNoRows) {
		return s.FindTask(ctx, key, id) // it ended in the meantime
	}
	return taskOf(row, true), pg.Classify(err)
}

// AskKillOf does the same by the call that started the task.
func (s *Store) AskKillOf(ctx context.Context, call chat.CallID) error {
	return pg.Classify(dbsqlc.Q.TaskAskKillOf(ctx, s.db.Pool, call))
}

// KillRequested reports whether a running task is to be killed.
func (s *Store) KillRequested(ctx context.Context, call chat.CallID) (bool, error) {
	asked, err := dbsqlc.Q.TaskKillAsked(ctx, s.db.Pool, call)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return asked, pg.Classify(err)
}

// EndTask records the end of a task and the row that reports it to its session, in one transaction. It reports false, and
// changes nothing, if the task had ended before, or its session was deleted.
func (s *Store) EndTask(ctx context.Context, call chat.CallID, end chat.TaskEnd) (bool, error) {
	ended := false
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := dbsqlc.Q.TaskEnd(ctx, tx, dbsqlc.TaskEndParams{
			CallID: call, State: end.State, Code: int32(end.Code), Total: end.Total, Output: chat.Clean(end.Output), EndedAt: &end.Ended,
		})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("end the task of call %s: %w", call, err)
		}
		ended = true
		if err := dbsqlc.Q.InboxTellTask(ctx, tx, dbsqlc.InboxTellTaskParams{CallID: call, Body: chat.Clean(end.Announcement)}); err != nil {
			return fmt.Errorf("tell of the end of the task of call %s: %w", call, err)
		}
		tx.EndTask(row.SessionKey, call)
		tx.Wake(chat.Wake{Kind: chat.WakeTurn, ID: string(row.SessionKey), User: row.UserID, Text: "background task " + chat.TaskID(int(row.N)) + " ended"})
		tx.Emit(row.SessionKey, chat.EventTask, taskOf(row, false))
		return nil
	})
	return ended, err
}

// TasksToStart takes running tasks whose workflow was not looked for during the given time. Several relays may call it
// at once; a task goes to one of them.
func (s *Store) TasksToStart(ctx context.Context, older time.Duration) ([]chat.CallID, error) {
	calls, err := dbsqlc.Q.TaskToStart(ctx, s.db.Pool, pg.Interval(older))
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("look for tasks to start: %w", err))
	}
	return calls, nil
}

// TasksRunning counts the running tasks of a session.
func (s *Store) TasksRunning(ctx context.Context, key chat.SessionKey) (int, error) {
	n, err := dbsqlc.Q.TaskRunningCount(ctx, s.db.Pool, key)
	return int(n), pg.Classify(err)
}

// TasksRunningOf counts the running tasks of a user, in all sessions.
func (s *Store) TasksRunningOf(ctx context.Context, user chat.UserID) (int, error) {
	n, err := dbsqlc.Q.TaskRunningCountOf(ctx, s.db.Pool, user)
	return int(n), pg.Classify(err)
}

// markReported withdraws the announcements of tasks whose end the model has read in a result.
func markReported(ctx context.Context, t *pg.Tx, key chat.SessionKey, calls []chat.CallID) error {
	if len(calls) == 0 {
		return nil
	}
	ids := make([]string, len(calls))
	for i, c := range calls {
		ids[i] = string(c)
	}
	if err := dbsqlc.Q.InboxTaskTold(ctx, t, dbsqlc.InboxTaskToldParams{SessionKey: key, Calls: ids}); err != nil {
		return fmt.Errorf("note that the end of tasks was told: %w", err)
	}
	return nil
}

func taskOf(r dbsqlc.BackgroundTask, output bool) chat.Task {
	t := chat.Task{
		ID: chat.TaskID(int(r.N)), Call: r.CallID, Command: r.Command, Runner: r.Runner, State: r.State, Code: int(r.Code),
		Total: r.Total, StartedAt: r.StartedAt, EndedAt: r.EndedAt,
	}
	if output {
		t.Output = r.Output
	}
	return t
}
