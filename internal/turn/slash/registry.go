package slash

import (
	"slices"
	"strings"

	"xbot/internal/i18n"
	"xbot/internal/turn/command"
)

// nearest is how many commands are named to somebody who wrote one that there is not.
const nearest = 3

// Registry knows the commands of a server. A nil one knows only how to stop.
type Registry struct {
	list []Command
	more More
}

// More has commands that come and go while the server runs.
type More interface{ Commands() []Command }

// Also returns the registry with further commands, which come behind its own: of two with one name its own counts.
func (r *Registry) Also(more More) *Registry {
	r.more = more
	return r
}

// Taken reports whether one of its own commands has a name.
func (r *Registry) Taken(name string) bool {
	return slices.ContainsFunc(r.list, func(c Command) bool { return c.Spec().Is(name) })
}

// NewRegistry makes a registry of commands, in the order in which people are told of them. Each has /stop, /help and
// /commands besides. Of two commands with one name the first counts.
func NewRegistry(people People, list ...Command) *Registry {
	r := &Registry{}
	r.list = append(append([]Command{stop{}}, list...), help{r, people}, commands{r, people})
	return r
}

// List returns the commands in the order people are told of them.
func (r *Registry) List() []Command {
	if r == nil {
		return []Command{stop{}}
	}
	if r.more == nil {
		return slices.Clone(r.list)
	}
	return append(slices.Clone(r.list), r.more.Commands()...)
}

// Find returns the command with a name, which may be an alias.
func (r *Registry) Find(typed string) (Command, bool) {
	if typed == "" {
		return nil, false
	}
	for _, known := range r.List() {
		if known.Spec().Is(typed) {
			return known, true
		}
	}
	return nil, false
}

// Canonical returns the name of the command with a name, empty if there is none.
func (r *Registry) Canonical(typed string) string {
	if known, ok := r.Find(typed); ok {
		return known.Spec().Name
	}
	return ""
}

// Knows reports whether a text is one of the commands, alone, with what belongs to it. Such a text is meant for the bot
// wherever it is written.
func (r *Registry) Knows(text string) bool {
	parsed, ok := command.Parse(text)
	known, found := r.Find(parsed.Name)
	return ok && found && known.Spec().Takes(parsed.Args)
}

// Unknown answers somebody who wrote a command that there is not.
func (r *Registry) Unknown(lang i18n.Lang, name string) string {
	said := []string{i18n.Say(lang, i18n.CommandUnknown, name)}
	if near := r.near(name); len(near) > 0 {
		said = append(said, i18n.Say(lang, i18n.CommandNear, strings.Join(near, i18n.Say(lang, i18n.CommandOr))))
	}
	return i18n.Row(lang, append(said, i18n.Say(lang, i18n.CommandEscape, name))...)
}

// near are the commands whose names look most like what was typed.
func (r *Registry) near(typed string) (near []string) {
	var names []string
	for _, known := range r.List() {
		names = append(append(names, known.Spec().Name), known.Spec().Aliases...)
	}
	for _, found := range command.Nearest(typed, names, len(names)) {
		if known := "`/" + r.Canonical(found) + "`"; !slices.Contains(near, known) && len(near) < nearest {
			near = append(near, known)
		}
	}
	return near
}

// stopName is the command that is carried out before all others.
const stopName = "stop"

// stop is /stop. It stands in the registry for those who read it: Dispatch carries it out, as it does a press on the button.
type stop struct{}

func (stop) Spec() Spec {
	return Spec{Name: stopName, Aliases: []string{"cancel"}, Help: i18n.HelpStop, Group: GroupConversation}
}

// IsStop reports whether a text is the command to stop. Every registry knows it.
func IsStop(text string) bool {
	c, ok := command.Parse(text)
	s := stop{}.Spec()
	return ok && s.Is(c.Name) && s.Takes(c.Args)
}
