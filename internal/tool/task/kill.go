package task

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"xbot/internal/chat"
	"xbot/internal/tool"
)

const (
	// killTry bounds the try to kill at once; the workflow that follows the task continues trying.
	killTry = 4 * time.Second
	// killWait is how long the tool waits for the end of the killed command: the grace of the runner and some.
	killWait = 8 * time.Second
)

// Kills records requests to kill background tasks.
type Kills interface {
	AskKill(ctx context.Context, key chat.SessionKey, id string) (chat.Task, error)
}

// Killer kills background tasks, for the model and for users.
type Killer struct {
	Kills     Kills
	Sandboxes Finder
}

// Kill has a task killed. It is noted first, so that it is carried out even if the runner is out of reach now; then it
// is tried at once. Of a task that has ended it changes nothing. The task is as it was before.
func (k Killer) Kill(ctx context.Context, user chat.UserID, key chat.SessionKey, id string) (chat.Task, error) {
	t, err := k.Kills.AskKill(ctx, key, id)
	if err != nil || t.State != chat.TaskRunning || t.Kind != "" {
		return t, err
	}
	ctx, cancel := context.WithTimeout(ctx, killTry)
	defer cancel()
	if box, err := k.Sandboxes.Box(ctx, user, t.Runner); err == nil {
		_ = box.Kill(ctx, t.Call) // noted; it is tried again when the runner can be reached
	}
	return t, nil
}

//go:embed taskkill.md
var killDoc string

type killParams struct {
	ID string `json:"task_id"`
}

type kill struct {
	list   List
	killer Killer
}

// NewKill returns the tool task_kill.
func NewKill(list List, killer Killer) tool.Tool {
	return tool.Define("task_kill", chat.ClassIdempotent, killDoc, kill{list, killer})
}

func (kill) Summary(p killParams) string { return p.ID }

func (k kill) Run(ctx context.Context, call tool.Call, p killParams) (chat.ToolResult, error) {
	if _, err := k.killer.Kill(ctx, call.User, call.Session, p.ID); err != nil {
		return tool.FromError(err)
	}
	t, err := until(ctx, k.list, call.Session, p.ID, killWait)
	if err != nil {
		return tool.FromError(fmt.Errorf("look for the end of task %s: %w", p.ID, err))
	}
	switch {
	case t.State == chat.TaskRunning && t.Kind != "":
		return tool.Textf("%s\n[it is being stopped]", line(t)), nil
	case t.State == chat.TaskRunning:
		return tool.Textf("%s\n[its runner %s cannot be reached; it will be killed as soon as it can, and you will be told]", line(t), t.Runner), nil
	}
	return markReported(tool.Text(withOutput(t, maxShown)), t), nil
}
