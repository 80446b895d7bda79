package server

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress"
	"xbot/internal/config"
	"xbot/internal/contextview"
	"xbot/internal/i18n"
	"xbot/internal/telemetry"
	"xbot/internal/tool"
)

// promised are the commands that people are promised, by all their names.
var promised = []string{
	"help", "commands", "new", "reset", "status", "stop", "cancel", "continue", "compact", "compress", "clear", "context", "usage", "model", "models", "think",
	"verbose", "queue", "cd", "ls", "pwd", "whoami", "version", "prompt", "export", "runner", "config", "debug", "language", "search", "rewind", "fork", "approve", "deny",
	"send", "session", "link", "activation", "pair", "trigger", "memory", "profile",
}

func TestCommands_AreThePromisedOnesEachExplained(t *testing.T) {
	in := &ingressPart{parts: &parts{tele: &telemetry.Telemetry{}, policy: policy{tools: tool.New()}}, http: config.HTTP{URL: "https://x.example"}}
	in.history, in.dispatch, in.fleet, in.meter = &ingress.History{}, &ingress.Dispatch{}, &ingress.Fleet{}, &ingress.Meter{}
	in.contexts, in.minds = &contextview.Viewer{}, &ingress.Minds{}
	list := in.commands().List()
	var names []string
	for _, c := range list {
		names = append(append(names, c.Name), c.Aliases...)
		require.NotEmpty(t, i18n.Say(i18n.English, c.Help), c.Name)
		require.NotEmpty(t, i18n.Say(i18n.Chinese, c.Help), c.Name)
		require.NotEqual(t, i18n.Say(i18n.English, c.Help), i18n.Say(i18n.Chinese, c.Help), c.Name)
		require.NotEmpty(t, i18n.GroupName(i18n.English, c.Group), c.Name)
		require.True(t, c.Queued != (c.Run != nil) || c.Name == "stop", "%s is carried out at one place", c.Name)
	}
	for _, name := range promised {
		require.Contains(t, names, name)
	}
	slices.Sort(names)
	require.Len(t, slices.Compact(slices.Clone(names)), len(names), "no name means two commands: %v", names)
}
