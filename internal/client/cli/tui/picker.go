package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/chat"
	"xbot/internal/client/cli/text"
)

// picker is the list of sessions in front of the conversation. Typing narrows it.
type picker struct {
	all     []chat.Session
	current chat.SessionKey
	filter  string
	at      int
}

// shown returns the sessions whose title or folder holds the filter.
func (p *picker) shown() []chat.Session {
	var found []chat.Session
	for _, session := range p.all {
		if strings.Contains(strings.ToLower(session.Title+" "+session.Cwd), strings.ToLower(p.filter)) {
			found = append(found, session)
		}
	}
	return found
}

// pick takes a key while the list is open.
func (m *model) pick(msg tea.KeyPressMsg) tea.Cmd {
	p := m.picker
	shown := p.shown()
	switch msg.String() {
	case "esc":
		m.picker = nil
	case "up", "ctrl+p":
		p.at = max(p.at-1, 0)
	case "down", "ctrl+n":
		p.at = min(p.at+1, max(len(shown)-1, 0))
	case "enter":
		m.picker = nil
		if p.at < len(shown) && shown[p.at].Key != m.session.Key {
			return m.switchTo(shown[p.at].Key)
		}
	case "backspace":
		if runes := []rune(p.filter); len(runes) > 0 {
			p.filter = string(runes[:len(runes)-1])
		}
		p.at = 0
	default:
		if msg.Key().Text != "" {
			p.filter += msg.Key().Text
			p.at = 0
		}
	}
	return nil
}

// lines draws the list in a height.
func (p *picker) lines(t theme, width, height int, now time.Time) []string {
	head := "  Sessions"
	if p.filter != "" {
		head += " with “" + p.filter + "”"
	}
	lines := []string{t.bold.Render(head), ""}
	shown := p.shown()
	if len(shown) == 0 {
		return append(lines, t.dim.Render("  none"))
	}
	first, end := window(p.at, len(shown), max(height-len(lines)-2, 1))
	for i := first; i < end; i++ {
		lines = append(lines, p.line(t, shown[i], i == p.at, width, now))
	}
	return append(lines, "", t.dim.Render("  ↑ ↓ choose · enter opens · type to narrow · esc closes"))
}

func (p *picker) line(t theme, session chat.Session, chosen bool, width int, now time.Time) string {
	title := text.Line(session.Title)
	if title == "" {
		title = "(no messages)"
	}
	var facts []string
	switch {
	case session.Key == p.current:
		facts = append(facts, "open")
	case session.Running != "":
		facts = append(facts, "running")
	}
	if session.Pinned {
		facts = append(facts, "pinned")
	}
	switch session.Shelf {
	case chat.Archived:
		facts = append(facts, "archived")
	case chat.OneShots:
		facts = append(facts, "one-shot")
	}
	facts = append(facts, ago(now.Sub(session.UpdatedAt)))
	line := spread("  "+title, strings.Join(facts, " · "), min(width-4, maxColumn))
	if chosen {
		return t.accent.Render("› " + strings.TrimPrefix(line, "  "))
	}
	return line
}

// ago returns how long something is past, roughly.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%d d ago", int(d.Hours()/24))
	}
}
