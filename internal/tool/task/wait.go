package task

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

// Limits of task_wait and of what it shows.
const (
	defaultWait = 60 * time.Second
	maxWait     = 300 * time.Second
	maxWaited   = 10     // tasks at once
	maxShown    = 12_000 // bytes of output of all tasks together
)

//go:embed taskwait.md
var waitDoc string

type waitParams struct {
	IDs     []string `json:"task_id"`
	Mode    string   `json:"mode,omitempty" jsonschema:"all (default) or any"`
	Timeout int      `json:"timeout,omitempty" jsonschema:"Seconds, default 60, at most 300."`
}

type wait struct{ list List }

// NewWait returns the tool task_wait.
func NewWait(list List) tool.Tool {
	return tool.Define("task_wait", chat.ClassRead, waitDoc, wait{list})
}

func (wait) Summary(p waitParams) string { return strings.Join(p.IDs, " ") }

func (w wait) Run(ctx context.Context, call tool.Call, p waitParams) (chat.ToolResult, error) {
	timeout, err := p.check()
	if err != nil {
		return tool.FromError(err)
	}
	tasks, err := w.wait(ctx, call.Session, p, time.Now().Add(timeout))
	if err != nil {
		return tool.FromError(err)
	}
	running, end := 0, "; you will be told when they end"
	parts := make([]string, len(tasks))
	for i, t := range tasks {
		if t.State == chat.TaskRunning {
			running++
		}
		if t.Kind == chat.TaskJob {
			end = "" // its answer goes to a user
		}
		parts[i] = withOutput(t, maxShown/len(tasks))
	}
	text := strings.Join(parts, "\n\n")
	if running > 0 && (p.Mode == modeAll || running == len(tasks)) {
		text += "\n[time is up" + end + "]"
	}
	return markReported(tool.Text(text), tasks...), nil
}

const (
	modeAll = "all"
	modeAny = "any"
)

func (p *waitParams) check() (time.Duration, error) {
	timeout := time.Duration(p.Timeout) * time.Second
	if p.Mode == "" {
		p.Mode = modeAll
	}
	switch {
	case len(p.IDs) == 0:
		return 0, fault.Errorf(fault.Invalid, "task_id is empty; name one or more tasks, such as bg1")
	case len(p.IDs) > maxWaited:
		return 0, fault.Errorf(fault.Invalid, "at most %d tasks can be waited for at once", maxWaited)
	case p.Mode != modeAll && p.Mode != modeAny:
		return 0, fault.Errorf(fault.Invalid, "mode must be all or any, not %q", tool.Cut(p.Mode, 20))
	case p.Timeout == 0:
		return defaultWait, nil
	case timeout < 0 || timeout > maxWait:
		return 0, fault.Errorf(fault.Invalid, "timeout must be between 1 and %.0f seconds, not %d", maxWait.Seconds(), p.Timeout)
	}
	return timeout, nil
}

// wait looks at the tasks until enough of them have ended or the time is over.
func (w wait) wait(ctx context.Context, key chat.SessionKey, p waitParams, deadline time.Time) ([]chat.Task, error) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		tasks := make([]chat.Task, len(p.IDs))
		ended := 0
		for i, id := range p.IDs {
			t, err := w.list.FindTask(ctx, key, id)
			if err != nil {
				return nil, err
			}
			if t.State != chat.TaskRunning {
				ended++
			}
			tasks[i] = t
		}
		if ended == len(tasks) || ended > 0 && p.Mode == modeAny || !time.Now().Before(deadline) {
			return tasks, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-ticker.C:
		}
	}
}
