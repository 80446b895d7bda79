package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"xbot/internal/chat"
	"xbot/internal/client/cli/text"
)

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
	if cursor := m.input.Cursor(); cursor != nil && m.picker == nil && m.panel == nil {
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
		if isTyped(entry) && !m.story.Earlier {
			return text.Line(entry.Content)
		}
	}
	return "new session"
}

func (m *model) windowTitle() string { return "xbot · " + m.title() }

// head returns the one line at the top: the title, the model and the place.
func (m *model) head() string {
	right := text.Line(m.o.Me.Model)
	if where := m.place.String(); where != "" {
		right += " · " + where
	}
	left := " " + m.theme.accent.Bold(true).Render("xbot") + " " + m.theme.dim.Render("· "+m.title())
	return spread(left, m.theme.dim.Render(ansi.Truncate(right, m.width/2, "…"))+" ", m.width)
}

// page returns the conversation, or the view open in front of it, in exactly so many lines.
func (m *model) page(height int) []string {
	var lines []string
	switch {
	case m.picker != nil:
		lines = append([]string{""}, m.picker.lines(m.theme, m.width, height-1, time.Now())...)
	case m.panel != nil:
		lines = append([]string{""}, m.panel.lines(m.theme, m.width, height-1)...)
	case m.fronted():
		lines = m.front()
		lines = lines[min(m.frontAt, len(lines)):]
	default:
		lines = m.lines[min(m.offset, len(m.lines)):]
	}
	page := make([]string, height)
	copy(page, lines)
	return page
}

// redraw draws the conversation and keeps the place.
func (m *model) redraw() {
	m.column.width = m.width
	lines := []string{""}
	if m.story.Earlier {
		lines = append(lines, "  "+m.theme.dim.Render("earlier messages: page up"), "")
	}
	lines = append(lines, m.column.entries(m.story, time.Now())...)
	for i, queued := range m.story.Queued {
		lines = append(lines, spaced(lines, m.column.person(queued.Text, m.queuedState(queued.Mode, i+1)))...)
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
	lines = append(lines, "")
	m.lines = lines
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

func (m *model) queuedState(mode chat.QueueMode, place int) string {
	if m.running() {
		return text.Waits(mode, place)
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
	before := m.column
	m.column = newColumn(m.theme, m.width)
	m.column.gallery = m.gallery
	if before != nil {
		m.column.details, m.column.wide = before.details, before.wide
	}
	m.styleInput()
	m.relayout()
}

// pageHeight returns the number of lines that the conversation has: all but the head, the foot and the status.
func (m *model) pageHeight() int {
	return max(m.height-2-len(m.above())-m.input.Height(), 1)
}

func (m *model) maxOffset() int { return max(len(m.lines)-m.pageHeight(), 0) }

func (m *model) clamp() { m.offset = max(min(m.offset, m.maxOffset()), 0) }
