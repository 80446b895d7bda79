package slashcommand

import (
	"context"
	"slices"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
)

// help is /help: the commands by purpose, on one screen; the names of all that the user may use; or the full description of one.
type help struct {
	registry *Registry
	people   People
}

var _ Runner = help{}

// everything is the argument of /help for the names of all commands.
const everything = "all"

func (help) Spec() Spec {
	return Spec{Name: "help", Usage: "[COMMAND|all]", Help: i18n.HelpHelp, Group: GroupYou, Inline: true}
}

func (h help) Run(ctx context.Context, in Request, args string) (string, error) {
	args = strings.ToLower(strings.TrimLeft(args, "/／"))
	if args != "" && args != everything && args != i18n.Say(i18n.Chinese, i18n.HelpAll) {
		return h.explain(in.Lang, command.Translated(args))
	}
	usable, err := h.registry.usable(ctx, h.people, in)
	switch {
	case err != nil:
		return "", err
	case args != "":
		return byGroup(in.Lang, usable), nil
	}
	who, err := h.people.Caller(ctx, in.User, in.Session)
	if err != nil {
		return "", err
	}
	return onOneScreen(in, usable, in.Peer.ID != "" && !who.Direct), nil
}

// onOneScreen lists the commands by purpose.
func onOneScreen(in Request, usable []Spec, group bool) string {
	var lines []string
	for _, p := range purposes {
		if said := p.of(in.Lang, usable); len(said) > 0 && (group || !p.inGroups) {
			lines = append(lines, "* **"+i18n.Say(in.Lang, p.title)+"**: "+strings.Join(said, i18n.Say(in.Lang, i18n.HelpBetween)))
		}
	}
	return strings.Join(append(lines, "", i18n.Say(in.Lang, i18n.HelpMore)), "\n")
}

// byGroup lists the names of all commands.
func byGroup(lang i18n.Lang, usable []Spec) string {
	var lines []string
	for _, group := range groups {
		var names []string
		for _, known := range usable {
			if known.Group == group {
				names = append(names, "`/"+known.Name+"`")
			}
		}
		if len(names) > 0 {
			lines = append(lines, "* **"+i18n.GroupName(lang, group)+"**: "+strings.Join(names, " "))
		}
	}
	return strings.Join(append(lines, "", i18n.Say(lang, i18n.HelpEach)), "\n")
}

// explain returns the full description of a command.
func (h help) explain(lang i18n.Lang, name string) (string, error) {
	found, ok := h.registry.Find(name)
	if !ok {
		return "", fault.Errorf(fault.NotFound, "%s", h.registry.Unknown(lang, name))
	}
	known := found.Spec()
	lines := []string{"`" + known.Line() + "`", "", known.About(lang)}
	if also := append(slices.Clone(known.Aliases), command.ChineseNames(known.Name)...); len(also) > 0 {
		lines = append(lines, "", i18n.Say(lang, i18n.HelpAliases, "`/"+strings.Join(also, i18n.Say(lang, i18n.HelpListed))+"`"))
	}
	var more []string
	for _, m := range []struct {
		holds bool
		id    i18n.ID
	}{
		{known.When == InTurn, i18n.HelpQueued}, {known.Inline, i18n.HelpInline},
		{known.Who == Owner, i18n.HelpOwners}, {known.Who == Admin, i18n.HelpAdmins},
	} {
		if m.holds {
			more = append(more, i18n.Say(lang, m.id))
		}
	}
	if len(more) > 0 {
		lines = append(lines, "", i18n.Row(lang, more...))
	}
	return strings.Join(lines, "\n"), nil
}

// usable returns the commands that a user may use, in the order of the registry.
func (r *Registry) usable(ctx context.Context, people People, in Request) (out []Spec, err error) {
	who, err := people.Caller(ctx, in.User, in.Session)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, known := range r.List() {
		if spec := known.Spec(); who.May(spec) && !seen[spec.Name] {
			seen[spec.Name] = true
			out = append(out, spec)
		}
	}
	return out, nil
}
