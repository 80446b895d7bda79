package text

import (
	"fmt"
	"regexp"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/question"
)

// TaskState returns how far a background task has come.
func TaskState(task chat.Task) string {
	switch task.State {
	case chat.TaskRunning:
		if task.How != "" {
			return task.How
		}
		return "running since " + task.StartedAt.Local().Format("15:04")
	case chat.TaskExited:
		if task.How != "" {
			return task.How + after(task)
		}
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

// Command returns a command that a user typed, in one line as a shell shows it.
func Command(typed string) string { return Line(strings.TrimPrefix(strings.TrimSpace(typed), "!")) }

// ApprovalState returns how a question was answered, by whom, and why it had been asked; empty while it is open.
func ApprovalState(a chat.Approval) string {
	var said string
	if len(a.Questions) > 0 && a.State == chat.ApprovalAllowed {
		return "answered by " + Line(a.AnsweredBy) + ": " + Line(question.Summary(a.Questions, a.Answers))
	}
	if a.Plan != nil && (a.State == chat.ApprovalAllowed || a.State == chat.ApprovalDenied) {
		return Line(i18n.Outcome(i18n.English, a) + noted(a.Note))
	}
	if a.AgentEnded() {
		return Line(i18n.Outcome(i18n.English, a))
	}
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

func noted(note string) string {
	if note == "" {
		return ""
	}
	return ": " + note
}

// Skipped reports whether a call did not run because a message was taken in before it began.
func Skipped(call chat.ToolCall) bool {
	return call.State == chat.CallDone && call.IsError && call.Result == i18n.Say(i18n.English, i18n.CallSkipped)
}

// Waits returns how a message that waits joins what runs; place counts from 1.
func Waits(mode chat.QueueMode, place int) string {
	switch mode {
	case chat.QueueSteer:
		return "reaches the running turn at its next step"
	case chat.QueueInterrupt:
		return "next: the running turn is being stopped"
	case chat.QueueCollect:
		return fmt.Sprintf("queued, number %d: answered together with what follows", place)
	case chat.QueueSupersede:
		return fmt.Sprintf("queued, number %d: replaces what waited", place)
	default:
		return fmt.Sprintf("queued, number %d", place)
	}
}

var continued = regexp.MustCompile(`\n {2}`)

// Listed counts what a message lists below its first line, each from its own line on; indented lines continue with the one above.
func Listed(list string) int {
	below := strings.TrimSpace(continued.ReplaceAllString(After(list), " "))
	if below == "" {
		return 0
	}
	return strings.Count(below, "\n") + 1
}

// After returns a text without its first line.
func After(list string) string {
	_, rest, _ := strings.Cut(list, "\n")
	return rest
}

// Count writes a number of things: 1 message, 12 messages.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
