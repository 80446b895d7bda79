package tui

import (
	"fmt"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"xbot/internal/cli/story"
	"xbot/internal/cli/text"
)

const maxTodoLines = 8

var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// View draws the screen: a head, the conversation, and a foot that ends with the line to type at.
func (m *model) View() tea.View {
	foot, cursorAt := m.foot()
	page := m.page(max(m.height-1-len(foot), 1))
	screen := append(append([]string{m.head()}, page...), foot...)
	for i, line := range screen {
		if ansi.StringWidth(line) > m.width {
			screen[i] = ansi.Truncate(line, m.width, "…")
		}
	}
	view := tea.NewView(strings.Join(screen, "\n"))
	view.AltScreen = true
	view.MouseMode = tea.MouseModeCellMotion
	view.WindowTitle = m.windowTitle()
	if cursor := m.input.Cursor(); cursor != nil && m.picker == nil {
		cursor.Position.Y += 1 + len(page) + cursorAt
		view.Cursor = cursor
	}
	return view
}

func (m *model) title() string {
	if title := text.Line(m.session.Title); title != "" {
		return title
	}
	for _, entry := range m.story.Entries { // the server names a session by its first words, too
		if entry.Kind == story.Person && !m.story.Earlier {
			return text.Line(entry.Text)
		}
	}
	return "new session"
}

func (m *model) windowTitle() string { return "xbot · " + m.title() }

// head is the one line at the top: what is talked about, with which model, where.
func (m *model) head() string {
	right := text.Line(m.o.Me.Model)
	if m.session.Cwd != "" {
		right += " · " + shortPath(m.session.Cwd)
	}
	left := " " + m.theme.accent.Bold(true).Render("xbot") + " " + m.theme.dim.Render("· "+m.title())
	return spread(left, m.theme.dim.Render(ansi.Truncate(right, m.width/2, "…"))+" ", m.width)
}

// page is the conversation, or what is open in front of it, in exactly so many lines.
func (m *model) page(height int) []string {
	var lines []string
	switch {
	case m.picker != nil:
		lines = append([]string{""}, m.picker.lines(m.theme, m.width, height-1, time.Now())...)
	case m.help:
		lines = append([]string{""}, m.helpLines()...)
	default:
		lines = m.lines[min(m.offset, len(m.lines)):]
	}
	page := make([]string, height)
	copy(page, lines)
	return page
}

// redraw draws the conversation anew and keeps the place.
func (m *model) redraw() {
	m.column.width = m.width
	lines := []string{""}
	if m.story.Earlier {
		lines = append(lines, "  "+m.theme.dim.Render("earlier messages: page up"), "")
	}
	lines = append(lines, m.column.entries(m.story, time.Now())...)
	for _, queued := range m.story.Queued {
		lines = append(lines, spaced(lines, m.column.person(queued.Text, m.queuedState()))...)
	}
	for _, out := range m.outbox {
		state := "sending"
		if out.waiting {
			state = "not sent yet: waiting for the server"
		}
		lines = append(lines, spaced(lines, m.column.person(out.text, state))...)
	}
	if len(lines) == 1 && !m.opening {
		lines = m.welcome()
	}
	m.lines = append(lines, "")
	if m.follow {
		m.offset = m.maxOffset()
	}
	m.clamp()
}

// spaced puts a blank line in front of a block unless it is the first.
func spaced(above, block []string) []string {
	if len(above) > 1 {
		return append([]string{""}, block...)
	}
	return block
}

func (m *model) queuedState() string {
	if m.running() {
		return "queued"
	}
	return "accepted"
}

// relayout fits everything to the size of the terminal.
func (m *model) relayout() {
	m.input.MaxHeight = max(min(8, m.height/3), 1)
	m.input.SetWidth(max(m.width-2, 10))
	if m.column.width != m.width {
		m.column.forget()
	}
	m.redraw()
}

// restyle takes the colours that the terminal has.
func (m *model) restyle() {
	m.theme = newTheme(m.dark, m.plain)
	details := m.column != nil && m.column.details
	m.column = newColumn(m.theme, m.width)
	m.column.details = details
	m.styleInput()
	m.relayout()
}

// pageHeight is the number of lines that the conversation has: all but the head, the foot and the status.
func (m *model) pageHeight() int {
	return max(m.height-2-len(m.above())-m.input.Height(), 1)
}

func (m *model) maxOffset() int { return max(len(m.lines)-m.pageHeight(), 0) }

func (m *model) clamp() { m.offset = max(min(m.offset, m.maxOffset()), 0) }

// foot is what stands below the conversation; cursorAt is the line of it at which the input begins.
func (m *model) foot() (lines []string, cursorAt int) {
	lines = m.above()
	cursorAt = len(lines)
	lines = append(lines, strings.Split(m.input.View(), "\n")...)
	return append(lines, m.status()), cursorAt
}

// above is what stands between the conversation and the input.
func (m *model) above() []string {
	lines := m.todoLines()
	for _, c := range matching(m.input.Value()) {
		lines = append(lines, "  "+fmt.Sprintf("%-18s", "/"+c.name+" "+c.args)+m.theme.dim.Render(c.does))
	}
	if !m.away.IsZero() {
		lines = append(lines, cut(m.theme.warn.Render("! "+m.awayText()), m.width-1))
	}
	if m.flash.text != "" {
		style := m.theme.dim
		if m.flash.bad {
			style = m.theme.bad
		}
		for _, line := range wrap(text.Line(m.flash.text), m.width-3) {
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
	if len(m.story.Todos) == 0 || done == len(m.story.Todos) && !m.todos {
		return nil
	}
	head := fmt.Sprintf("  %d of %d done%s", done, len(m.story.Todos), next)
	if !m.todos {
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

// status is the last line: what happens now, and the keys that matter now.
func (m *model) status() string {
	left, right := "", "/help"
	switch {
	case !m.away.IsZero():
		left = "waiting for the server"
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

// activity says in a few words what the running turn does.
func (m *model) activity() string {
	turn := m.story.Turn
	what := "thinking"
	if m.stopped == turn.ID {
		what = "stopping"
	} else if running := m.story.Running(); len(running) > 0 {
		what = "running " + text.Line(running[0].Name)
		if len(running) > 1 {
			what += fmt.Sprintf(" and %d more", len(running)-1)
		}
	} else if live := m.story.Live(); live != nil {
		switch {
		case live.Retry != "":
			what = "trying again"
		case live.Writing != "":
			what = "preparing " + text.Line(live.Writing)
		case live.Text != "":
			what = "answering"
		}
	}
	what += " · " + seconds(time.Since(turn.StartedAt))
	if n := len(m.story.Queued); n > 0 {
		what += fmt.Sprintf(" · %d queued", n)
	}
	return what
}

// welcome is the page of a session without messages.
func (m *model) welcome() []string {
	where := ""
	if m.session.Cwd != "" {
		where = " It works in " + shortPath(m.session.Cwd) + "."
	}
	lines := []string{"", "  " + m.theme.bold.Render("Ask anything, or say what is to be done.") + m.theme.dim.Render(where), ""}
	lines = append(lines, "  "+m.theme.dim.Render("/help lists commands and keys · answers go on being written when you leave"))
	if m.o.Me.Demo {
		lines = append(lines, "", "  "+m.theme.warn.Render("No model is configured: a stand-in answers. Try “run ls -la”."))
	}
	return lines
}

func (m *model) helpLines() []string {
	lines := []string{"  " + m.theme.bold.Render("Commands")}
	for _, c := range commands {
		lines = append(lines, "  "+fmt.Sprintf("%-18s", "/"+c.name+" "+c.args)+m.theme.dim.Render(c.does))
	}
	lines = append(lines, "", "  "+m.theme.bold.Render("Keys"))
	for _, k := range [][2]string{
		{"enter", "send; a line break is shift+enter, ctrl+j, or \\ and enter"},
		{"↑ ↓", "what was typed before"},
		{"pgup pgdn, wheel", "scroll; hold shift to select text with the mouse"},
		{"ctrl+o", "show or fold outputs and reasoning"},
		{"ctrl+t", "show or fold the to-do list"},
		{"ctrl+c", "stop the answer; twice leaves"},
	} {
		lines = append(lines, "  "+fmt.Sprintf("%-18s", k[0])+m.theme.dim.Render(k[1]))
	}
	return lines
}

// shortPath writes the user's home folder as ~.
func shortPath(path string) string {
	path = text.Line(path)
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		if rest, below := strings.CutPrefix(path, home); below && (rest == "" || rest[0] == '/') {
			return "~" + rest
		}
	}
	return path
}
