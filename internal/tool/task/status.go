package task

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/tool"
)

//go:embed taskstatus.md
var statusDoc string

type statusParams struct {
	ID string `json:"task_id,omitempty"`
}

type status struct{ list List }

// NewStatus returns the tool task_status.
func NewStatus(list List) tool.Tool {
	return tool.DefineQuick("task_status", chat.ClassRead, statusDoc, status{list})
}

func (status) Summary(p statusParams) string { return p.ID }

func (s status) Run(ctx context.Context, call tool.Call, p statusParams) (chat.ToolResult, error) {
	if p.ID != "" {
		t, err := s.list.FindTask(ctx, call.Session, p.ID)
		if err != nil {
			return tool.FromError(err)
		}
		return named(line(t), t), nil
	}
	tasks, err := s.list.Tasks(ctx, call.Session)
	if err != nil {
		return tool.FromError(err)
	}
	if len(tasks) == 0 {
		return tool.Text("no background tasks"), nil
	}
	lines := make([]string, len(tasks))
	for i, t := range tasks {
		lines[i] = line(t)
	}
	return named(strings.Join(lines, "\n"), tasks...), nil
}

// named reports the end of commands, which a line holds. It leaves out other tasks, whose answers are announced.
func named(text string, tasks ...chat.Task) chat.ToolResult {
	return markReported(tool.Text(text), slices.DeleteFunc(slices.Clone(tasks), func(t chat.Task) bool { return t.Kind != "" })...)
}
