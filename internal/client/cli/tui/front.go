package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"xbot/internal/client/cli/sharing"
	"xbot/internal/client/cli/text"
)

// fronted reports whether a text is open in front of the conversation.
func (m *model) fronted() bool { return m.help || m.tasks || m.links != "" }

// unfront closes it.
func (m *model) unfront() { m.help, m.tasks, m.links, m.frontAt = false, false, "", 0 }

// front returns all lines of the view open in front of the conversation.
func (m *model) front() []string {
	switch {
	case m.tasks:
		return append([]string{""}, m.taskLines()...)
	case m.links != "":
		return append([]string{""}, m.linkLines()...)
	}
	return append([]string{""}, m.helpLines()...)
}

// welcome returns the page of a session without messages.
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

// commandLine shows a command with its arguments and its effect.
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

// share makes, lists or revokes links by which anybody reads the session.
func (m *model) share(args string) tea.Cmd {
	key := m.session.Key
	if key == "" {
		m.complain("Not shared: " + errNoSession.Error())
		return nil
	}
	return request(m, func(ctx context.Context) (string, error) {
		return sharing.Do(ctx, m.o.Client, key, args)
	}, m.shared)
}

// shared opens the result in front of the conversation: a link has to stay until it is copied.
func (m *model) shared(said string, err error) {
	switch {
	case err != nil:
		m.complain("Not shared: " + err.Error())
	case strings.Contains(said, "\n"):
		m.links = text.Plain(said)
	default:
		m.say(text.Line(said))
	}
}

// linkLines returns the text about links. A link begins at the edge, so that it stays on one line where it can.
func (m *model) linkLines() []string {
	lines := []string{"  " + m.theme.bold.Render("Links to this session"), ""}
	for line := range strings.SplitSeq(m.links, "\n") {
		if strings.Contains(line, "://") {
			lines = append(lines, strings.Split(ansi.Hardwrap(line, m.width, false), "\n")...)
			continue
		}
		for row := range strings.SplitSeq(ansi.Wordwrap(line, max(m.width-4, 1), ""), "\n") {
			lines = append(lines, "  "+row)
		}
	}
	return append(lines, "", "  "+m.theme.dim.Render("/share list · /share revoke N · esc closes"))
}
