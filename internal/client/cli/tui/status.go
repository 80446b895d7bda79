package tui

import (
	"fmt"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/client/cli/markdown"
	"xbot/internal/client/cli/story"
	"xbot/internal/client/cli/text"
)

const maxTodoLines = 8

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// foot returns the lines below the conversation; cursorAt is the line of it at which the input begins.
func (m *model) foot() (lines []string, cursorAt int) {
	lines = m.above()
	cursorAt = len(lines)
	lines = append(lines, strings.Split(m.input.View(), "\n")...)
	return append(lines, m.status()), cursorAt
}

// above returns the lines between the conversation and the input.
func (m *model) above() []string {
	lines := m.todoLines()
	if running := m.runningLine(); running != "" {
		lines = append(lines, m.theme.dim.Render(cut(running, m.width-1)))
	}
	if turn := m.story.Turn; turn != nil && turn.Allows != nil {
		lines = append(lines, m.theme.warn.Render(cut(fmt.Sprintf("  Everything is allowed until this turn ends (by %s). /deny turn asks again.", text.Line(turn.Allows.By)), m.width-1)))
	}
	if asking := m.story.Asking(); asking != nil {
		lines = append(lines, m.theme.warn.Render(cut("  "+m.questionLine(asking), m.width-1)))
	}
	if m.search != nil {
		lines = append(lines, cut(m.searchLine(), m.width-1))
	}
	lines = append(lines, m.menuLines()...)
	if !m.away.IsZero() {
		lines = append(lines, cut(m.theme.warn.Render("! "+m.awayText()), m.width-1))
	}
	if m.flash.text != "" {
		style := m.theme.dim
		if m.flash.bad {
			style = m.theme.bad
		}
		for _, line := range markdown.Wrap(text.Line(m.flash.text), m.width-3) {
			lines = append(lines, "  "+style.Render(line))
		}
	}
	lines = append(lines, m.theme.faint.Render(strings.Repeat("─", m.width)))
	return lines[max(0, len(lines)-max(m.height-4, 0)):] // of a small terminal, something is left for the conversation
}

func (m *model) awayText() string {
	since := "The server is away"
	if gone := time.Since(m.away); gone >= time.Second {
		since += " for " + text.Lasted(gone)
	}
	hint := ""
	if m.o.Server != nil && !m.starting {
		hint = "; Enter starts it again"
	}
	return since + hint + ": " + text.Line(m.reason)
}

// todoLines shows the to-do list: its state and what comes next, or all of it.
func (m *model) todoLines() []string {
	done, next := 0, ""
	for _, todo := range m.story.Todos {
		if todo.Done {
			done++
		} else if next == "" {
			next = " · " + text.Line(todo.Text)
		}
	}
	if len(m.story.Todos) == 0 || done == len(m.story.Todos) && !m.allTodos {
		return nil
	}
	head := fmt.Sprintf("  %d of %d done%s", done, len(m.story.Todos), next)
	if !m.allTodos {
		return []string{m.theme.dim.Render(cut(head, m.width-1))}
	}
	var lines []string
	for _, todo := range m.story.Todos[:min(len(m.story.Todos), maxTodoLines)] {
		mark := "☐ "
		if todo.Done {
			mark = "☑ "
		}
		lines = append(lines, m.theme.dim.Render(cut("  "+mark+text.Line(todo.Text), m.width-1)))
	}
	if left := len(m.story.Todos) - maxTodoLines; left > 0 {
		lines = append(lines, m.theme.dim.Render(fmt.Sprintf("  … %d more", left)))
	}
	return lines
}

// status returns the last line: what happens now, and the keys that matter now.
func (m *model) status() string {
	left, right := strings.TrimSuffix(m.place.Sentence(), "."), "/help"
	switch {
	case !m.away.IsZero():
		left = "waiting for the server"
	case m.help || m.tasks:
		left = "↑ ↓ scroll, esc closes"
	case m.opening:
		left = "loading"
	case m.running():
		left = spinner[m.frame%len(spinner)] + " " + m.activity()
		right = "ctrl+c stops"
	}
	if hasCalls(m.story) {
		right = "ctrl+o details · " + right
	}
	if below := m.maxOffset() - m.offset; below > 0 && !m.follow {
		right = fmt.Sprintf("↓ %d lines · ", below) + right
	}
	return spread("  "+m.theme.dim.Render(left), m.theme.dim.Render(right)+" ", m.width)
}

func hasCalls(s *story.Story) bool {
	for _, entry := range s.Entries {
		if len(entry.Calls) > 0 {
			return true
		}
	}
	return false
}

// activity returns in a few words what the running turn does.
func (m *model) activity() string {
	what := m.doing() + " · " + seconds(time.Since(m.story.Turn.StartedAt))
	if n := len(m.story.Queued); n > 0 {
		what += fmt.Sprintf(" · %d queued", n)
	}
	return what
}

func (m *model) doing() string {
	turn, running, live := m.story.Turn, m.story.Running(), m.story.Live()
	switch {
	case m.stopped == turn.ID:
		return "stopping"
	case m.story.Asking() != nil:
		return "waiting for you"
	case len(running) == 1:
		return "running " + text.Line(running[0].Name)
	case len(running) > 1:
		return fmt.Sprintf("running %s and %d more", text.Line(running[0].Name), len(running)-1)
	case live != nil:
		return modelActivity(live, turn.Waits)
	case turn.Waits != nil:
		return providerActivity(turn.Waits)
	}
	return "thinking"
}

// providerActivity returns that a turn waits for its provider, and when that is asked again, in the zone of the terminal.
func providerActivity(w *chat.Wait) string {
	if w.Next == nil {
		return "waiting for the model provider"
	}
	return "waiting for the model provider, next try at " + w.Next.Local().Format("15:04")
}

// modelActivity returns what the model of a turn does.
func modelActivity(live *story.Entry, waits *chat.Wait) string {
	switch {
	case live.Retry != "" && waits != nil:
		return providerActivity(waits)
	case live.Retry != "":
		return "trying again"
	case live.Doing == chat.DoingCompress:
		return "compressing the context"
	case live.Writing != "":
		return "preparing " + text.Line(live.Writing)
	case live.Content != "":
		return "answering"
	}
	return "thinking"
}
