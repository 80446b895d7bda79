package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	twice      = 2 * time.Second // within which a second Ctrl-C leaves
	wheelLines = 3
)

// key takes one key. A view open in front of the conversation gets it first.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	pressed := msg.String()
	if pressed == "ctrl+c" {
		return m.interrupt()
	}
	m.armed, m.flash = time.Time{}, flash{}
	switch {
	case m.search != nil:
		return m.searching(msg)
	case m.picker != nil:
		return m.pick(msg)
	case m.panel != nil:
		return m.settle(msg)
	case m.fronted() && m.scrollFront(pressed):
		return nil
	case m.fronted():
		m.unfront()
		if pressed == "esc" || pressed == "enter" || pressed == "q" {
			return nil
		}
	}
	switch pressed {
	case "enter":
		return m.enter()
	case "up":
		return m.up(msg)
	case "down":
		return m.down(msg)
	case "tab":
		return m.complete()
	case "esc":
		m.shut = true
		m.relayout()
	case "pgup", "shift+up":
		return m.scroll(-m.step(pressed))
	case "pgdown", "shift+down":
		return m.scroll(m.step(pressed))
	case "ctrl+home":
		return m.scroll(-len(m.lines))
	case "ctrl+end":
		return m.scroll(len(m.lines))
	case "ctrl+o":
		m.column.details = !m.column.details
		m.column.forget()
		m.redraw()
	case "ctrl+t":
		m.allTodos = !m.allTodos
		m.relayout()
	case "ctrl+r":
		return m.beginSearch()
	case "ctrl+l":
		return tea.ClearScreen
	case "ctrl+d":
		if m.input.Value() == "" {
			return tea.Quit
		}
		return m.edit(msg)
	default:
		return m.edit(msg)
	}
	return nil
}

// enter completes the choice, else sends.
func (m *model) enter() tea.Cmd {
	if m.unfinished() || m.mentioning() {
		return m.complete()
	}
	return m.submit()
}

// scrollFront moves the view open in front of the conversation; false for a key that does not scroll.
func (m *model) scrollFront(pressed string) bool {
	switch pressed {
	case "up", "shift+up":
		m.frontAt--
	case "down", "shift+down":
		m.frontAt++
	case "pgup":
		m.frontAt -= m.step(pressed)
	case "pgdown":
		m.frontAt += m.step(pressed)
	default:
		return false
	}
	m.frontAt = max(min(m.frontAt, len(m.front())-m.pageHeight()), 0)
	return true
}

// interrupt is Ctrl-C: it stops the turn, clears the typed text, and leaves when pressed twice.
func (m *model) interrupt() tea.Cmd {
	if time.Since(m.armed) < twice {
		m.interrupted = true
		return tea.Quit
	}
	m.armed = time.Now()
	if m.search != nil {
		m.endSearch(m.search.draft)
		return nil
	}
	m.picker, m.panel = nil, nil
	m.unfront()
	if m.running() && m.stopped != m.story.Turn.ID {
		m.say("Stopping. Ctrl-C again leaves.")
		return m.stop()
	}
	if m.input.Value() != "" {
		m.setInput("")
	}
	m.say("Ctrl-C again leaves.")
	return nil
}

// up goes to the line above, and from the first one to what was typed before.
func (m *model) up(msg tea.KeyPressMsg) tea.Cmd {
	if m.choose(-1) {
		return nil
	}
	if m.input.Line() > 0 || m.input.LineInfo().RowOffset > 0 {
		return m.edit(msg)
	}
	if text, moved := m.history.back(m.input.Value()); moved {
		m.shut = true // the arrows continue through what was typed before
		m.setInput(text)
	}
	return nil
}

func (m *model) down(msg tea.KeyPressMsg) tea.Cmd {
	if m.choose(1) {
		return nil
	}
	if m.input.Line() < m.input.LineCount()-1 || m.input.LineInfo().RowOffset < m.input.LineInfo().Height-1 {
		return m.edit(msg)
	}
	if text, moved := m.history.forth(); moved {
		m.shut = true // the arrows continue through what was typed before
		m.setInput(text)
	}
	return nil
}

func (m *model) step(pressed string) int {
	if strings.HasPrefix(pressed, "shift") {
		return 1
	}
	return max(m.pageHeight()-2, 1)
}

func (m *model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	switch msg.Button {
	case tea.MouseWheelUp:
		return m.scroll(-wheelLines)
	case tea.MouseWheelDown:
		return m.scroll(wheelLines)
	default:
		return nil
	}
}

// scroll moves the conversation. At its beginning older messages are loaded; at its end it follows what comes.
func (m *model) scroll(by int) tea.Cmd {
	m.offset += by
	m.clamp()
	m.follow = m.offset >= m.maxOffset()
	if m.offset == 0 && by < 0 {
		return m.loadOlder()
	}
	return nil
}
