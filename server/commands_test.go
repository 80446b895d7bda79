package server

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/history"
	"xbot/ingress/hooks"
	"xbot/ingress/intake"
	"xbot/ingress/runners/manage"
	"xbot/ingress/usagereport"
	"xbot/internal/host/config"
	"xbot/internal/host/telemetry"
	"xbot/internal/i18n"
	"xbot/internal/store"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/contextview"
	"xbot/internal/turn/slashcommand"
)

// promised are the commands that people are promised, by all their names.
var promised = []string{
	"help", "commands", "new", "reset", "status", "stop", "cancel", "continue", "compact", "compress", "clear", "context", "usage", "model", "models", "think",
	"verbose", "queue", "cd", "ls", "pwd", "whoami", "version", "prompt", "export", "runner", "config", "debug", "language", "search", "rewind", "retry", "edit", "branch", "fork", "approve", "deny",
	"send", "session", "link", "activation", "pair", "trigger", "memory", "profile",
}

func TestCommands_AreThePromisedOnesEachExplained(t *testing.T) {
	c := &core{
		proc: &process{tele: &telemetry.Telemetry{}}, db: &database{}, temporal: &orchestration{}, models: &models{}, stores: &store.Store{},
		memory: &memories{}, platforms: &platforms{}, mcp: &mcpServers{},
	}
	in := &ingressPart{
		core: c, agents: &agents{core: c, tools: toolset.Fixed()}, at: addresses{http: config.HTTP{URL: "https://x.example"}},
		dispatch: &intake.Dispatcher{}, hooks: &hooks.Admin{}, gateway: &gateway.Gateway{},
	}
	in.views = views{history: &history.Editor{}, runners: &manage.Runners{}, usage: &usagereport.Usage{}, contexts: &contextview.Viewer{}}
	list := in.slashCommands().List()
	var names []string
	for _, known := range list {
		c := known.Spec()
		names = append(append(names, c.Name), c.Aliases...)
		require.NotEmpty(t, i18n.Say(i18n.English, c.Help), c.Name)
		require.NotEmpty(t, i18n.Say(i18n.Chinese, c.Help), c.Name)
		require.NotEqual(t, i18n.Say(i18n.English, c.Help), i18n.Say(i18n.Chinese, c.Help), c.Name)
		require.NotEmpty(t, i18n.GroupName(i18n.English, c.Group), c.Name)
		_, now := known.(slashcommand.Runner)
		_, later := known.(slashcommand.TurnRunner)
		if c.Name != "stop" && c.Name != "compact" { // Dispatch stops; the turn compresses with an activity of its own
			require.Equal(t, c.When == slashcommand.Now, now, c.Name)
			require.Equal(t, c.When == slashcommand.InTurn, later, c.Name)
		}
	}
	for _, name := range promised {
		require.Contains(t, names, name)
	}
	for _, name := range slashcommand.Essential() {
		require.Contains(t, names, name, "the help of one screen tells it")
		require.NotEmpty(t, i18n.InShort(i18n.English, name), name)
		require.NotEqual(t, i18n.InShort(i18n.English, name), i18n.InShort(i18n.Chinese, name), name)
	}
	slices.Sort(names)
	require.Len(t, slices.Compact(slices.Clone(names)), len(names), "no name means two commands: %v", names)
}
