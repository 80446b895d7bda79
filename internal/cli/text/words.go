package text

import (
	"fmt"

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

// ApprovalState says how a question was answered, and by whom; empty while it is open.
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
	return said
}
