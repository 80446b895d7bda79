package text

import (
	"fmt"
	"strings"

	"xbot/internal/chat"
)

// TaskState says how far a background task has come.
func TaskState(task chat.Task) string {
	switch task.State {
	case chat.TaskRunning:
		return "running since " + task.StartedAt.Local().Format("15:04")
	case chat.TaskExited:
		return fmt.Sprintf("exit code %d%s", task.Code, after(task))
	case chat.TaskKilled:
		return "killed" + after(task)
	case chat.TaskTimedOut:
		return "ended after 24 hours"
	default:
		return "lost: how it ended is not known"
	}
}

func after(task chat.Task) string {
	if task.EndedAt == nil {
		return ""
	}
	return " after " + Lasted(task.EndedAt.Sub(task.StartedAt))
}

// Command is a command that a person typed, in one line as a shell shows it.
func Command(typed string) string { return Line(strings.TrimPrefix(strings.TrimSpace(typed), "!")) }

// ApprovalState says how a question was answered, by whom, and why it had been asked; empty while it is open.
func ApprovalState(a chat.Approval) string {
	var said string
	switch a.State {
	case chat.ApprovalAllowed:
		said = "allowed by " + Line(a.AnsweredBy)
	case chat.ApprovalDenied:
		said = "denied by " + Line(a.AnsweredBy)
	case chat.ApprovalVoid:
		said = "nobody answered before the turn ended"
	default:
		return ""
	}
	if a.Note != "" {
		said += ": " + Line(a.Note)
	}
	if a.Reason != "" {
		said += " · it had asked because: " + Line(a.Reason)
	}
	return said
}
