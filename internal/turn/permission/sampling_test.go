package permission_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/turn/permission"
)

func TestSampling_OnlyARuleOfItsOwnNameAllowsIt(t *testing.T) {
	t.Parallel()
	of := &tool.Remote{Server: "tracker", Tool: "search", Address: "https://tracker.example"}
	moved := &tool.Remote{Server: "tracker", Tool: "search", Address: "https://elsewhere.example"}
	pinned := chat.ToolRule{Tool: "mcp_tracker_sampling", Rule: allow, Pin: permission.Sampling(of).Pin()}
	for name, c := range map[string]struct {
		permits chat.UserPermissions
		rules   map[string]chat.Rule
		of      *tool.Remote
		want    chat.Rule
	}{
		"nothing was said":                               {want: ask},
		"by an administrator":                            {permits: chat.UserPermissions{Admin: true}, want: ask},
		"a preset that allows all tools":                 {permits: chat.UserPermissions{Own: chat.PresetAuto, Here: chat.PresetAuto}, want: ask},
		"a conversation that only reads":                 {permits: chat.UserPermissions{Here: chat.PresetReadOnly}, want: ask},
		"a pattern that allows all tools of a server":    {permits: chat.UserPermissions{Rules: []chat.ToolRule{rule("mcp_tracker_*", "", allow)}}, want: ask},
		"the installation allows all tools":              {rules: map[string]chat.Rule{"mcp_*": allow}, want: ask},
		"the person has allowed it":                      {permits: chat.UserPermissions{Rules: []chat.ToolRule{pinned}}, want: allow},
		"the person has allowed it in another way":       {permits: chat.UserPermissions{Own: chat.PresetAsk, Rules: []chat.ToolRule{pinned}}, want: allow},
		"the address of the server has changed since":    {permits: chat.UserPermissions{Rules: []chat.ToolRule{pinned}}, of: moved, want: ask},
		"a tool of that name was allowed":                {permits: chat.UserPermissions{Rules: []chat.ToolRule{{Tool: "mcp_tracker_sampling", Rule: allow, Pin: (&tool.Remote{Server: "tracker", Tool: "sampling"}).Pin()}}}, want: ask},
		"the installation allows it":                     {rules: map[string]chat.Rule{"mcp_tracker_sampling": allow}, want: allow},
		"the installation denies it":                     {permits: chat.UserPermissions{Own: chat.PresetAuto}, rules: map[string]chat.Rule{"mcp_tracker_sampling": deny}, want: deny},
		"a pattern denies the server":                    {permits: chat.UserPermissions{Rules: []chat.ToolRule{rule("mcp_tracker_*", "", deny)}}, want: deny},
		"but the person has allowed this by its name":    {permits: chat.UserPermissions{Rules: []chat.ToolRule{rule("mcp_tracker_*", "", deny), pinned}}, want: allow},
		"the person denies it in another spelling":       {permits: chat.UserPermissions{Rules: []chat.ToolRule{rule("mcp__tracker__Sampling", "", deny)}}, want: deny},
		"the person denies it for another server":        {permits: chat.UserPermissions{Rules: []chat.ToolRule{rule("mcp_other_sampling", "", deny)}}, want: ask},
		"a consumer of a service":                        {permits: chat.UserPermissions{Outside: true, Rules: []chat.ToolRule{pinned}}, rules: map[string]chat.Rule{"mcp_tracker_sampling": allow}, want: deny},
		"a turn that wants a plan, where it was allowed": {permits: chat.UserPermissions{Planning: true, Rules: []chat.ToolRule{pinned}}, want: allow},
	} {
		if c.of == nil {
			c.of = of
		}
		a, err := permission.Authorizers{Rules: c.rules}.With(context.Background(), c.permits, tool.New())
		require.NoError(t, err)
		d := a.Sampling(c.of)
		require.Equal(t, c.want, d.Rule, name)
		if d.Rule == ask {
			others := slices.DeleteFunc(slices.Clone(c.permits.Rules), func(r chat.ToolRule) bool { return r.Tool == d.Always[0].Tool })
			c.permits.Rules = slices.Concat(others, d.Always)
			a, err = permission.Authorizers{Rules: c.rules}.With(context.Background(), c.permits, tool.New())
			require.NoError(t, err)
			require.Equal(t, allow, a.Sampling(c.of).Rule, "%s: what is offered is enough", name)
		}
	}
}

func TestSamplingRule_IsForAServerThatThePersonHas(t *testing.T) {
	t.Parallel()
	of := &tool.Remote{Server: "tracker", Tool: "search", Address: "https://tracker.example"}
	tools := []tool.Spec{{Name: "Shell"}, {Name: "mcp_tracker_search", Remote: of}}
	got, ok := permission.SamplingRule(tools, "mcp_tracker_sampling", allow)
	require.True(t, ok)
	require.Equal(t, chat.ToolRule{Tool: "mcp_tracker_sampling", Rule: allow, Pin: permission.Sampling(of).Pin()}, got)
	got, ok = permission.SamplingRule(tools, "mcp_tracker_sampling", deny)
	require.True(t, ok)
	require.Empty(t, got.Pin)
	for _, name := range []string{"mcp_other_sampling", "mcp__sampling", "mcp_tracker_search", "sampling", "Shell", ""} {
		_, ok = permission.SamplingRule(tools, name, allow)
		require.False(t, ok, name)
	}
}
