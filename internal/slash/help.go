package slash

import (
	"context"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// help is /help: the names of the commands that the person may use, or all there is to say of one.
type help struct {
	registry *Registry
	people   People
}

var _ Runner = help{}

func (help) Spec() Spec {
	return Spec{Name: "help", Usage: "[COMMAND]", Help: i18n.HelpHelp, Group: GroupYou, Inline: true}
}

func (h help) Run(ctx context.Context, in Request, args string) (string, error) {
	if args != "" {
		return h.explain(in.Lang, strings.ToLower(strings.TrimLeft(args, "/／")))
	}
	usable, err := h.registry.usable(ctx, h.people, in)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, group := range groups {
		var names []string
		for _, known := range usable {
			if known.Group == group {
				names = append(names, "`/"+known.Name+"`")
			}
		}
		if len(names) > 0 {
			lines = append(lines, "* **"+i18n.GroupName(in.Lang, group)+"**: "+strings.Join(names, " "))
		}
	}
	return strings.Join(append(lines, "", i18n.Say(in.Lang, i18n.HelpMore)), "\n"), nil
}

// explain tells all there is to say of a command.
func (h help) explain(lang i18n.Lang, name string) (string, error) {
	found, ok := h.registry.Find(name)
	if !ok {
		return "", fault.Errorf(fault.NotFound, "%s", h.registry.Unknown(lang, name))
	}
	known := found.Spec()
	lines := []string{"`" + known.Line() + "`", "", known.About(lang)}
	if len(known.Aliases) > 0 {
		lines = append(lines, "", i18n.Say(lang, i18n.HelpAliases, "`/"+strings.Join(known.Aliases, "`, `/")+"`"))
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

// usable are the commands that somebody may use, in the order of the registry.
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
