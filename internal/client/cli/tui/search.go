package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/client/cli/text"
)

// search looks backwards through what was typed, as a shell does with ctrl+r.
type search struct {
	typed string // what is looked for
	past  []string
	at    int    // of the one that is shown; len(past): none yet
	draft string // the former text of the field
	lost  bool   // nothing older has it
}

// beginSearch looks through what was typed in this session and, before that, in all of them.
func (m *model) beginSearch() tea.Cmd {
	var kept []string
	if m.o.History.Path != "" {
		var err error
		if kept, err = m.o.History.Load(); err != nil {
			m.complain(err.Error())
		}
	}
	past := slices.Concat(kept, m.history.past)
	m.search = &search{past: past, at: len(past), draft: m.input.Value()}
	m.shut = true
	m.relayout()
	return nil
}

// searching takes a key during the search. Enter sends the entry found; esc, tab and the arrows leave it in the field to be changed; ctrl+g
// restores the former text.
func (m *model) searching(msg tea.KeyPressMsg) tea.Cmd {
	s := m.search
	switch pressed := msg.String(); pressed {
	case "ctrl+r":
		s.look(s.at-1, -1)
	case "ctrl+s":
		s.look(s.at+1, 1)
	case "backspace":
		if runes := []rune(s.typed); len(runes) > 0 {
			s.typed = string(runes[:len(runes)-1])
		}
		s.at = len(s.past)
		s.look(s.at-1, -1)
	case "ctrl+g":
		m.endSearch(s.draft)
		return nil
	case "enter":
		m.endSearch(m.input.Value())
		return m.submit()
	case "esc", "tab", "left", "right", "up", "down", "home", "end", "ctrl+a", "ctrl+e":
		m.endSearch(m.input.Value())
		return nil
	default:
		if msg.Key().Text == "" {
			return nil
		}
		s.typed += msg.Key().Text
		s.look(min(s.at, len(s.past)-1), -1)
	}
	m.setInput(s.shown())
	return nil
}

// look goes to the next entry that has what is looked for, in steps of by, and stays where it is when there is none. It skips an entry with the text
// of the one that is shown.
func (s *search) look(from, by int) {
	s.lost = false
	if s.typed == "" {
		return
	}
	for i := from; i >= 0 && i < len(s.past); i += by {
		same := i != s.at && s.at < len(s.past) && s.past[i] == s.past[s.at]
		if !same && strings.Contains(strings.ToLower(s.past[i]), strings.ToLower(s.typed)) {
			s.at = i
			return
		}
	}
	s.lost = true
}

// shown returns the text of the field in the meantime.
func (s *search) shown() string {
	if s.at < len(s.past) && s.typed != "" {
		return s.past[s.at]
	}
	return s.draft
}

func (m *model) endSearch(keep string) {
	m.search = nil
	m.setInput(keep)
}

// searchLine shows what is looked for.
func (m *model) searchLine() string {
	state := "search"
	if m.search.lost {
		state = "nothing older with"
	}
	return m.theme.accent.Render("  "+state+": "+text.Line(m.search.typed)) + m.theme.dim.Render("▏ ctrl+r older · enter sends · esc edits · ctrl+g back")
}
