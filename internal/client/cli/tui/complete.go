package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/sharing"
	"xbot/internal/client/cli/text"
)

// menuRows is the maximum number of completions that are visible at once.
const menuRows = 8

// menu is the list of completions of the typed text, from which it follows.
type menu struct {
	chosen int
	shut   bool // closed by the user, or the text was brought back from before; until the text is changed

	models  []string // names by which models are chosen; nil until the server has sent them
	runners []chat.Runner
	files   mentions
}

// option is one completion of the typed text.
type option struct {
	text  string // put into the field when it is taken
	label string
	does  string // what it does; empty for a word behind a command
}

// options returns the completions: names of commands, or words behind one.
func (m *model) options() []option {
	if m.shut {
		return nil
	}
	typed := m.input.Value()
	var found []option
	for _, c := range m.matching(typed) {
		found = append(found, option{text: "/" + c.name + " ", label: strings.TrimSpace("/" + c.name + " " + c.args), does: c.does})
	}
	if len(found) > 0 {
		return found
	}
	if found = m.fileOptions(typed); len(found) > 0 {
		return found
	}
	name, begun, ok := behind(typed)
	if !ok {
		return nil
	}
	for _, word := range m.words(strings.ToLower(name), begun) {
		if strings.HasPrefix(strings.ToLower(word), strings.ToLower(begun)) && strings.TrimSpace(word) != strings.TrimSpace(begun) {
			found = append(found, option{text: "/" + name + " " + word, label: strings.TrimSpace(text.Line(word))})
		}
	}
	return found
}

// behind splits "/name words" at the space behind the name; ok is false for any other text.
func behind(typed string) (name, words string, ok bool) {
	typed, slashed := slashless(typed)
	name, words, spaced := strings.Cut(typed, " ")
	if !slashed || !spaced || name == "" || strings.ContainsAny(typed, "\n\t") || strings.Contains(name, "/") {
		return "", "", false
	}
	return name, strings.TrimLeft(words, " "), true
}

// words returns what may be typed behind the name of a command. More follows a word that ends with a space.
func (m *model) words(name, begun string) []string {
	switch name {
	case "kill":
		return m.runningTasks()
	case "share":
		return sharing.Words
	}
	at := slices.IndexFunc(m.served, func(c apiclient.Command) bool { return c.Is(name) })
	if at < 0 || name != "new" && slices.ContainsFunc(own, func(c about) bool { return c.name == name }) {
		return nil // the client carries it out
	}
	var words []string
	add := func(word string) {
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if takesModel(m.served[at].Name) && !strings.Contains(begun, " ") {
		for _, name := range m.models {
			add(name)
		}
	}
	for _, word := range m.served[at].Words {
		add(word)
		for _, runner := range m.runnersFor(m.served[at].Name, word, begun) {
			add(word + runner)
		}
	}
	return words
}

// takesModel reports whether the first word behind a command may be a model.
func takesModel(command string) bool { return command == "model" || command == "new" }

// runnersFor returns the runners that may follow a word of a command which is typed already.
func (m *model) runnersFor(command, word, begun string) []string {
	if command != "runner" || !strings.HasPrefix(strings.ToLower(begun), word) {
		return nil
	}
	var names []string
	for _, runner := range m.runners {
		if word == "use " || word == "revoke " && runner.Revocable {
			names = append(names, runner.Name)
		}
	}
	return names
}

func (m *model) runningTasks() []string {
	var ids []string
	for _, task := range m.story.RunningTasks() {
		ids = append(ids, task.ID)
	}
	return ids
}

// askNames asks for the possible names behind the command whose name was just finished.
func (m *model) askNames(before string) tea.Cmd {
	was, _, _ := behind(before)
	name, _, _ := behind(m.input.Value())
	at := slices.IndexFunc(m.served, func(c apiclient.Command) bool { return c.Is(strings.ToLower(name)) })
	if name == was || at < 0 {
		return nil
	}
	// Names that the server cannot send are not completed, but can be typed.
	switch command := m.served[at].Name; {
	case takesModel(command):
		return request(m, m.o.Client.ListModels, func(all apiclient.Catalogue, err error) {
			if err == nil {
				m.models = nil
			}
			for _, known := range all.Models {
				if known.Callable() {
					m.models = append(m.models, known.Names()...)
				}
			}
			m.chosen = 0
			m.relayout()
		})
	case command == "runner":
		return request(m, m.o.Client.ListRunners, func(all chat.Runners, err error) {
			if err == nil {
				m.runners = all.Runners
			}
			m.chosen = 0
			m.relayout()
		})
	}
	return nil
}

// typing resets the list after the text was changed.
func (m *model) typing(before string) tea.Cmd {
	m.chosen, m.shut = 0, false
	return tea.Batch(m.askNames(before), m.askFiles())
}

// choose moves along the list; false where there is nothing to choose from.
func (m *model) choose(by int) bool {
	n := len(m.options())
	if n < 2 {
		return false
	}
	m.chosen = (m.chosen + by + n) % n
	return true
}

// complete takes the chosen completion, if there is one.
func (m *model) complete() tea.Cmd {
	options := m.options()
	if len(options) == 0 {
		return nil
	}
	before := m.input.Value()
	m.setInput(options[min(m.chosen, len(options)-1)].text)
	return m.typing(before)
}

// unfinished reports whether the typed text is the beginning of a command's name and no command yet.
func (m *model) unfinished() bool {
	typed := m.input.Value()
	found := m.matching(typed)
	return !m.shut && len(found) > 0 && !slices.ContainsFunc(found, func(c about) bool { return c.is(strings.ToLower(typed[1:])) })
}

// menuLines draws the list: a part of it around the chosen one.
func (m *model) menuLines() []string {
	options := m.options()
	chosen := min(m.chosen, len(options)-1)
	first, end := window(chosen, len(options), menuRows)
	var lines []string
	for i, o := range options[first:end] {
		label := fmt.Sprintf("%-21s ", o.label)
		if first+i == chosen {
			lines = append(lines, m.theme.accent.Render("› "+label)+m.theme.dim.Render(o.does))
		} else {
			lines = append(lines, "  "+label+m.theme.dim.Render(o.does))
		}
	}
	if len(options) > menuRows {
		lines = append(lines, m.theme.dim.Render(fmt.Sprintf("  %d of %d · ↑ ↓ choose · tab takes", chosen+1, len(options))))
	}
	return lines
}
