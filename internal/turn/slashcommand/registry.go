package slashcommand

import (
	"slices"
	"strings"

	"xbot/internal/i18n"
	"xbot/internal/turn/command"
)

// nearest is the number of suggestions for an unknown command.
const nearest = 3

// Registry is the set of commands of a server. A nil one has only /stop.
type Registry struct {
	list []Command
	more More
}

// More provides commands that come and go while the server runs.
type More interface{ Commands() []Command }

// Also returns the registry with further commands, which come after its own: of two with one name its own wins.
func (r *Registry) Also(more More) *Registry {
	r.more = more
	return r
}

// Taken reports whether one of its own commands has a name.
func (r *Registry) Taken(name string) bool {
	return slices.ContainsFunc(r.list, func(c Command) bool { return c.Spec().Is(name) })
}

// NewRegistry makes a registry of commands, in the order of the help. It adds /stop, /help and /commands. Of two commands with one name the
// first wins.
func NewRegistry(people People, list ...Command) *Registry {
	r := &Registry{}
	r.list = append(append([]Command{stop{}}, list...), help{r, people}, commands{r, people})
	return r
}

// List returns the commands in the order of the help.
func (r *Registry) List() []Command {
	if r == nil {
		return []Command{stop{}}
	}
	if r.more == nil {
		return slices.Clone(r.list)
	}
	return append(slices.Clone(r.list), r.more.Commands()...)
}

// Find returns the command with a name or alias.
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

// Knows reports whether a text is one of the commands, alone, with its arguments. Such a text always addresses the bot.
func (r *Registry) Knows(text string) bool {
	parsed, ok := command.Parse(text)
	known, found := r.Find(parsed.Name)
	return ok && found && known.Spec().Takes(parsed.Args)
}

// Unknown returns the answer to an unknown command.
func (r *Registry) Unknown(lang i18n.Lang, name string) string {
	said := []string{i18n.Say(lang, i18n.CommandUnknown, name)}
	if near := r.near(name); len(near) > 0 {
		said = append(said, i18n.Say(lang, i18n.CommandNear, strings.Join(near, i18n.Say(lang, i18n.CommandOr))))
	}
	return i18n.Row(lang, append(said, i18n.Say(lang, i18n.CommandEscape, name))...)
}

// near returns the commands with the names most similar to the typed one.
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

// stopName is the command that is executed before all others.
const stopName = "stop"

// stop is /stop. It is in the registry for listings: Dispatch executes it, and also a press on the button.
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
