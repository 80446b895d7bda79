package slashcommand

import (
	"slices"

	"xbot/internal/i18n"
)

// purpose is a goal of users, with the commands for it.
type purpose struct {
	title i18n.ID
	names []string
	// inGroups marks a purpose that applies only to a group of a platform.
	inGroups bool
}

// purposes is the content of /help on one screen. It names the commands that users need, not all: those are in /help all.
var purposes = []purpose{
	{title: i18n.PurposeTalk, names: []string{"new", "model", "plan", "language"}},
	{title: i18n.PurposeStop, names: []string{stopName, "continue", "retry", "rewind"}},
	{title: i18n.PurposeDecide, names: []string{"approve", "deny", "permissions"}},
	{title: i18n.PurposeFind, names: []string{"search", "session", "memory", "export"}},
	{title: i18n.PurposeFiles, names: []string{"ls", "cd", "runner"}},
	{title: i18n.PurposeGroup, names: []string{"activation", "send"}, inGroups: true},
	{title: i18n.PurposeState, names: []string{"status", "usage", "settings", "link"}},
	{title: i18n.PurposeServer, names: []string{"pair", "config", "hooks"}},
}

// Essential returns the names of the commands that /help shows on one screen.
func Essential() (names []string) {
	for _, p := range purposes {
		names = append(names, p.names...)
	}
	return names
}

// of returns short descriptions of the purpose's commands that are usable.
func (p purpose) of(lang i18n.Lang, usable []Spec) (lines []string) {
	for _, name := range p.names {
		if !slices.ContainsFunc(usable, func(s Spec) bool { return s.Name == name }) {
			continue
		}
		lines = append(lines, "`/"+name+"` "+i18n.InShort(lang, name))
	}
	return lines
}
