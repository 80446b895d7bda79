package tui

import (
	"fmt"
	"strings"
)

// welcome is the page of a session without messages.
func (m *model) welcome() []string {
	lines := []string{"", "  " + m.theme.bold.Render("Ask anything, or say what is to be done."), ""}
	if said := m.place.Sentence(); said != "" {
		lines = append(lines, "  "+m.theme.dim.Render(cut(said, m.width-3)))
	}
	lines = append(lines, "  "+m.theme.dim.Render("/help lists commands and keys · answers go on being written when you leave"))
	if m.o.Me.Demo {
		lines = append(lines, "", "  "+m.theme.warn.Render("No model is configured: a stand-in answers. Try “run ls -la”."))
	}
	return lines
}

// commandLine names a command with what may follow it, and says what it does.
func (m *model) commandLine(c about) string {
	return fmt.Sprintf("%-20s ", strings.TrimSpace("/"+c.name+" "+c.args)) + m.theme.dim.Render(c.does)
}

func (m *model) helpLines() []string {
	lines := []string{"  " + m.theme.bold.Render("Commands")}
	for _, c := range m.commands() {
		lines = append(lines, "  "+m.commandLine(c))
	}
	lines = append(lines, "", "  "+m.theme.bold.Render("Keys"))
	for _, k := range [][2]string{
		{"enter", "send; a line break is shift+enter, ctrl+j, or \\ and enter"},
		{"↑ ↓", "what was typed before"},
		{"ctrl+r", "search in all that was typed, in every session"},
		{"@", "name a file: ↑ ↓ choose, tab or enter takes"},
		{"tab", "go on with a command; ↑ ↓ choose among its words, esc closes the list"},
		{"pgup pgdn, wheel", "scroll; hold shift to select text with the mouse"},
		{"!ls -la", "run a command where the commands run; the model does not see it"},
		{"y, n [why], a", "answer a question: allow, deny, always allow; then enter"},
		{"ctrl+o", "show or fold outputs and reasoning"},
		{"ctrl+t", "show or fold the to-do list"},
		{"ctrl+c", "stop the answer; twice leaves"},
	} {
		lines = append(lines, "  "+fmt.Sprintf("%-21s", k[0])+m.theme.dim.Render(k[1]))
	}
	return lines
}
