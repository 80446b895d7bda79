package extend

import (
	"context"
	"strings"
	"sync"
	"time"

	"xbot/internal/extension/plugin"
	"xbot/internal/extension/plugin/bridge"
	"xbot/internal/i18n"
	"xbot/internal/tool"
	"xbot/internal/turn/slashcommand"
)

// each calls do with the numbers up to n, all at the same time, and waits.
func each(n int, do func(i int)) {
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { do(i) })
	}
	wait.Wait()
}

// listTime limits the time to read the plugins.
const listTime = 2 * time.Second

var _ slashcommand.More = Extensions{}

// Commands implements slashcommand.More. It returns none while the database is unavailable.
func (e Extensions) Commands() []slashcommand.Command {
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	working, err := e.Installed.Working(ctx)
	if err != nil {
		return nil
	}
	var out []slashcommand.Command
	for _, one := range working {
		for _, c := range one.Contributes.Commands {
			out = append(out, pluginCommand{e.Bridge, one.Plugin.ID, c})
		}
	}
	return out
}

// pluginCommand is a slash command of a plugin.
type pluginCommand struct {
	bridge Asker
	plugin string
	slash  plugin.Slash
}

var _ slashcommand.Runner = pluginCommand{}

// Spec describes the command.
func (c pluginCommand) Spec() slashcommand.Spec {
	s := slashcommand.Spec{Name: c.slash.Name, Usage: c.slash.Usage, Group: slashcommand.GroupPlugins, Ahead: true, Own: slashcommand.Words(c.slash.Help)}
	if c.slash.Admin {
		s.Who = slashcommand.Admin
	}
	return s
}

// maxAnswer limits the answer of a command, in characters.
const maxAnswer = 20_000

// Run asks the plugin. Like any command it may run twice after a crash.
func (c pluginCommand) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	var out struct {
		Text string `json:"text"`
	}
	params := map[string]string{"name": c.slash.Name, "args": args, "session": string(in.Session), "person": person(in.User), "language": string(in.Lang)}
	if err := c.bridge.Ask(ctx, bridge.Request{Plugin: c.plugin, Method: "commands/run", Params: params}, &out); err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		return i18n.Say(in.Lang, i18n.PluginFailed, c.slash.Name, err.Error()), nil
	}
	text := strings.TrimSpace(tool.Clean([]byte(out.Text)))
	if r := []rune(text); len(r) > maxAnswer {
		text = string(r[:maxAnswer-1]) + "…"
	}
	if text == "" {
		return i18n.Say(in.Lang, i18n.PluginSilent, c.plugin), nil
	}
	return text, nil
}
