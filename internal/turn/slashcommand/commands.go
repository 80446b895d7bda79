package slashcommand

import (
	"context"
	"strings"

	"xbot/internal/i18n"
)

// commands is /commands: every command that the user may use, with its arguments.
type commands struct {
	registry *Registry
	people   People
}

var _ Runner = commands{}

func (commands) Spec() Spec {
	return Spec{Name: "commands", Help: i18n.HelpCommands, Group: GroupYou, Inline: true}
}

func (c commands) Run(ctx context.Context, in Request, _ string) (string, error) {
	usable, err := c.registry.usable(ctx, c.people, in)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, group := range groups {
		var rows []string
		for _, known := range usable {
			if known.Group == group {
				rows = append(rows, "* `"+known.Line()+"` "+known.About(in.Lang))
			}
		}
		if len(rows) > 0 {
			lines = append(lines, "**"+i18n.GroupName(in.Lang, group)+"**", "", strings.Join(rows, "\n"), "")
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n")), nil
}
