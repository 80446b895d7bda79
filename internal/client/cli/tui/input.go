package tui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"xbot/internal/chat"
	"xbot/internal/client/cli/story"
)

const maxInput = 200_000 // bytes; the API accepts no more

// newInput returns the field at the bottom. Enter sends; the other ways to make a line break are in the help.
func newInput() textarea.Model {
	input := textarea.New()
	input.ShowLineNumbers = false
	input.EndOfBufferCharacter = ' '
	input.CharLimit = maxInput
	input.DynamicHeight = true
	input.MinHeight = 1
	input.MaxHeight = 8
	input.MaxContentHeight = 10_000
	input.KeyMap.InsertNewline = key.NewBinding(key.WithKeys("shift+enter", "alt+enter", "ctrl+j"))
	input.SetVirtualCursor(false)
	input.SetPromptFunc(2, func(line textarea.PromptInfo) string {
		if line.LineNumber == 0 {
			return "› "
		}
		return "  "
	})
	return input
}

// styleInput gives the field the colours of the theme.
func (m *model) styleInput() {
	styles := textarea.DefaultStyles(m.dark)
	for _, state := range []*textarea.StyleState{&styles.Focused, &styles.Blurred} {
		state.Base = m.theme.none
		state.Text = m.theme.none
		state.CursorLine = m.theme.none
		state.Prompt = m.theme.accent
		state.Placeholder = m.theme.dim
	}
	m.input.SetStyles(styles)
}

// edit gives a message to the field and lays the screen out again if that changed its height.
func (m *model) edit(msg tea.Msg) tea.Cmd {
	before, height := m.input.Value(), m.input.Height()
	var cmd tea.Cmd
	m.input, cmd = m.input.Update(msg)
	if m.input.Value() != before {
		cmd = tea.Batch(cmd, m.typing(before))
	}
	if m.input.Height() != height {
		m.relayout()
	}
	return cmd
}

// setInput replaces the typed text.
func (m *model) setInput(text string) {
	m.input.SetValue(text)
	m.input.MoveToEnd()
	m.relayout()
}

// submit takes what was typed: a command is done here, everything else is a message.
func (m *model) submit() tea.Cmd {
	typed := m.input.Value()
	if before, more := strings.CutSuffix(typed, `\`); more { // for terminals that cannot distinguish shift+enter from enter
		m.setInput(before + "\n")
		return nil
	}
	typed = strings.TrimSpace(typed)
	if typed == "" {
		if m.o.Server != nil && !m.away.IsZero() && !m.starting {
			return m.startServer()
		}
		return nil
	}
	entered := strings.TrimRight(m.input.Value(), " \t\n")
	m.history.add(typed)
	m.setInput("")
	if cmd, done := m.answer(typed); done {
		return cmd
	}
	m.keep(entered)
	if cmd, done := m.command(typed); done {
		return cmd
	}
	return m.post(typed)
}

// keep keeps what was typed for the search in all sessions. Answers to questions are not kept: a password may be asked for.
func (m *model) keep(entered string) {
	if m.o.History.Path == "" {
		return
	}
	if err := m.o.History.Add(entered); err != nil {
		m.complain(err.Error())
	}
}

// past is what was typed before, the oldest first.
type past struct {
	past  []string
	at    int    // of the entry that is shown; len(past) for what is being typed
	draft string // what was being typed when the user went back
}

// reset takes the messages of a story as the past; of a story that has none, nothing is taken.
func (h *past) reset(s *story.Story) {
	if !slices.ContainsFunc(s.Entries, isTyped) {
		return
	}
	h.past = nil
	for _, entry := range s.Entries {
		if isTyped(entry) {
			h.past = append(h.past, entry.Content)
		}
	}
	h.at = len(h.past)
}

// isTyped reports whether an entry is what a user typed, be it a message or a command.
func isTyped(e *story.Entry) bool {
	return e.Kind == story.Person && !chat.IsSystemOrigin(e.Origin)
}

func (h *past) add(text string) {
	if len(h.past) == 0 || h.past[len(h.past)-1] != text {
		h.past = append(h.past, text)
	}
	h.at, h.draft = len(h.past), ""
}

// back returns the entry before the one that is shown; moved is false at the oldest.
func (h *past) back(shown string) (text string, moved bool) {
	if h.at == 0 {
		return "", false
	}
	if h.at == len(h.past) {
		h.draft = shown
	}
	h.at--
	return h.past[h.at], true
}

// forth returns the entry after the one that is shown, at last what was being typed.
func (h *past) forth() (text string, moved bool) {
	if h.at >= len(h.past) {
		return "", false
	}
	if h.at++; h.at == len(h.past) {
		return h.draft, true
	}
	return h.past[h.at], true
}
