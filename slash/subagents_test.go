package slash_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/role"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
	"xbot/slash/conversation"
)

// crew is subagents that stand still.
type crew struct {
	all     []chat.Subagent
	stopped []chat.SessionKey
}

func (c *crew) SubagentsOf(context.Context, chat.SessionKey) ([]chat.Subagent, error) {
	return c.all, nil
}

func (c *crew) StopSubagent(_ context.Context, key chat.SessionKey, _ string) (bool, error) {
	c.stopped = append(c.stopped, key)
	return key != "idle", nil
}

// roles are one that there is, and a file that is none.
type roles struct{}

func (roles) RolesOf(context.Context, chat.SessionKey) ([]role.Role, []role.Broken, error) {
	return []role.Role{{Name: "coder", Description: "codes | much"}}, []role.Broken{{File: "x.md", Why: "no front matter"}}, nil
}

func TestSubagentCommands_ListAndStopWhoWorks(t *testing.T) {
	t.Parallel()
	c := &crew{all: []chat.Subagent{
		{Session: "deep", Role: "explorer", Depth: 2, State: chat.SubagentRunning, Turn: "t", Tool: "Shell · make", Steps: 3, Tokens: 1200},
		{Session: "idle", Role: "coder", Instance: "a", Depth: 1, State: chat.SubagentIdle},
	}}
	commands := []slashcommand.Runner{conversation.Subagents{Store: c}, conversation.Agents{Roles: roles{}}}
	say := func(n int, args string) string {
		text, err := commands[n].Run(t.Context(), slashcommand.Request{Lang: i18n.English}, args)
		require.NoError(t, err)
		return text
	}
	require.Contains(t, say(0, ""), "| ↳ `explorer` | running | `Shell · make` | 3 |")
	require.Equal(t, "Subagent `explorer` is being stopped.", say(0, "stop"))
	require.Equal(t, "Subagent `coder:a` was not running.", say(0, "stop Coder:a"))
	require.Contains(t, say(0, "stop nobody"), "There is no subagent `nobody` here")
	require.Equal(t, []chat.SessionKey{"deep", "idle"}, c.stopped)
	require.Contains(t, say(1, ""), "| `coder` | codes / much | the program |")
	require.Contains(t, say(1, ""), "`x.md` is not a valid role: no front matter")
}
