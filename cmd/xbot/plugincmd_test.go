package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/plugin"
)

func TestPlugin_ShowsWhatItRunsDoesAndAsksFor(t *testing.T) {
	m, err := plugin.Parse([]byte(`{
		"id": "dice", "name": "Dice", "version": "1", "description": "Rolls\n\u001b[2J\u202e dice.", "runtime": "stdio",
		"command": {"linux": ["./dice", "two words", "\u001b[2J"], "darwin": ["node", "dice.mjs"]}, "permissions": ["hooks", "channel"],
		"contributes": {
			"tools": [{"name": "look", "description": "Looks.", "read_only": true}, {"name": "roll", "description": "Rolls.", "idempotent": true}, {"name": "pay", "description": "Pays."}],
			"hooks": [{"event": "PreToolUse", "matcher": "Shell", "on_error": "allow"}, {"event": "PreToolUse"}, {"event": "AgentStop"}],
			"channels": [{"name": "dice", "label": "Table", "ids": {"person": "[0-9]+", "example": "1"}, "abilities": {"text": 1000}}]
		}
	}`))
	require.NoError(t, err)
	var out bytes.Buffer
	describePlugin(&out, m, m.Asks().ReadOnly)
	for _, line := range []string{
		"  program   node dice.mjs on darwin\n", `  program   ./dice "two words" "\x1b[2J" on linux` + "\n",
		"  tool      plugin_dice_look (says that it changes nothing: conversations that only read have it, too): Looks.\n",
		"  tool      plugin_dice_roll (acts, and may be called again after a crash): Rolls.\n", "  tool      plugin_dice_pay (acts): Pays.\n",
		"  hook      PreToolUse Shell, where it fails: allow\n", "  hook      PreToolUse, where it fails: deny\n", "  hook      AgentStop, where it fails: allow\n",
		"  channel   dice: Table", "  hooks     sees what people write", "  channel   is a platform: receives and sends messages",
	} {
		require.Contains(t, out.String(), line)
	}
	require.False(t, strings.ContainsAny(out.String(), "\x1b\u202e"), "what could steer a terminal is left out")
	out.Reset()
	describePlugin(&out, m, nil)
	require.NotContains(t, out.String(), "changes nothing", "of one that nobody believed")
}
