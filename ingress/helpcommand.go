package ingress

import (
	"context"
	"strings"

	"xbot/internal/command"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// groups are the groups of commands in the order in which people are told of them.
var groups = []string{GroupConversation, GroupModel, GroupContext, GroupQueue, GroupFolder, GroupYou, GroupServer}

func (c *Commands) helpCommands() []Command {
	return []Command{
		{Name: "help", Usage: "[COMMAND]", Help: i18n.HelpHelp, Group: GroupYou, Inline: true, Run: c.help},
		{Name: "commands", Help: i18n.HelpCommands, Group: GroupYou, Inline: true, Run: c.listAll},
	}
}

// help tells the names of the commands that the person may use, or all there is to say of one.
func (c *Commands) help(ctx context.Context, in Inbound, args string) (string, error) {
	if args != "" {
		return c.explain(in.Lang, strings.ToLower(strings.TrimLeft(args, "/／")))
	}
	usable, err := c.usable(ctx, in)
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
func (c *Commands) explain(lang i18n.Lang, name string) (string, error) {
	known, ok := c.named(name)
	if !ok {
		said, err := c.unknown(name).answer(context.Background(), Inbound{Lang: lang})
		if err != nil {
			return "", err
		}
		return "", fault.Errorf(fault.NotFound, "%s", said)
	}
	lines := []string{"`" + known.Line() + "`", "", i18n.Say(lang, known.Help)}
	if len(known.Aliases) > 0 {
		lines = append(lines, "", i18n.Say(lang, i18n.HelpAliases, "`/"+strings.Join(known.Aliases, "`, `/")+"`"))
	}
	var more []string
	for _, m := range []struct {
		holds bool
		id    i18n.ID
	}{{known.Queued, i18n.HelpQueued}, {known.Inline, i18n.HelpInline}, {known.Who == Owner, i18n.HelpOwners}, {known.Who == Admin, i18n.HelpAdmins}} {
		if m.holds {
			more = append(more, i18n.Say(lang, m.id))
		}
	}
	if len(more) > 0 {
		lines = append(lines, "", i18n.Row(lang, more...))
	}
	return strings.Join(lines, "\n"), nil
}

// listAll tells of every command that the person may use, with what may follow it.
func (c *Commands) listAll(ctx context.Context, in Inbound, _ string) (string, error) {
	usable, err := c.usable(ctx, in)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, group := range groups {
		var rows []string
		for _, known := range usable {
			if known.Group == group {
				rows = append(rows, "* `"+known.Line()+"` "+i18n.Say(in.Lang, known.Help))
			}
		}
		if len(rows) > 0 {
			lines = append(lines, "**"+i18n.GroupName(in.Lang, group)+"**", "", strings.Join(rows, "\n"), "")
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n")), nil
}

// usable are the commands that somebody may use, in the order of the registry.
func (c *Commands) usable(ctx context.Context, in Inbound) (out []Command, err error) {
	who, err := c.standing(ctx, in)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, known := range c.List() {
		if who.may(known) && !seen[known.Name] {
			seen[known.Name] = true
			out = append(out, known)
		}
	}
	return out, nil
}

// Words are what may be typed behind the name of a command, for whoever completes it.
func (c Command) Words() []string { return command.Words(c.Usage) }
