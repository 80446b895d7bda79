package manage_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/manage"
	"xbot/internal/tool/tooltest"
)

// servers are in memory; those that are named broken cannot be reached.
type servers struct {
	list      []chat.MCPServer
	drafts    []mcp.Draft
	refreshed []mcp.At
	forgotten []int64
}

func (s *servers) List(_ context.Context, user chat.UserID) (out []chat.MCPServer, err error) {
	for _, owner := range []chat.UserID{0, user} {
		for _, one := range s.list {
			if one.User == owner {
				out = append(out, one)
			}
		}
	}
	return out, nil
}

func (s *servers) Own(_ context.Context, owner chat.UserID, name string) (chat.MCPServer, error) {
	for _, one := range s.list {
		if one.User == owner && one.Name == name {
			return one, nil
		}
	}
	return chat.MCPServer{}, fault.Errorf(fault.NotFound, "none")
}

func (s *servers) Offers(context.Context, chat.UserID, int64) (chat.MCPOffers, error) {
	return chat.MCPOffers{Tools: []chat.MCPTool{{Name: "log", Description: "Shows\nchanges."}}, LeftOut: []string{"tool bad: no schema"}}, nil
}

func (s *servers) Put(ctx context.Context, owner chat.UserID, d mcp.Draft, _ chat.UserID) (chat.MCPServer, error) {
	s.drafts = append(s.drafts, d)
	if old, err := s.Own(ctx, owner, d.Name); err == nil {
		return old, nil
	}
	one := chat.MCPServer{ID: int64(len(s.list) + 1), User: owner, MCPConfig: d.MCPConfig}
	for name := range d.Env {
		one.EnvNames = append(one.EnvNames, name)
	}
	slices.Sort(one.EnvNames)
	s.list = append(s.list, one)
	return one, nil
}

func (s *servers) Remove(_ context.Context, owner chat.UserID, name string) error {
	s.list = slices.DeleteFunc(s.list, func(one chat.MCPServer) bool { return one.User == owner && one.Name == name })
	return nil
}

func (s *servers) Refresh(_ context.Context, at mcp.At) (chat.MCPServer, error) {
	s.refreshed = append(s.refreshed, at)
	for _, one := range s.list {
		if one.ID == at.Server && one.Name != "broken" {
			one.Tools = 1
			return one, nil
		}
	}
	return chat.MCPServer{}, fault.Errorf(fault.Unavailable, "the MCP server broken cannot be used: it is away.")
}

func (s *servers) Forget(server int64) { s.forgotten = append(s.forgotten, server) }

type fixture struct {
	*servers

	t    *testing.T
	tool tool.Tool
	box  *tooltest.Box
}

func setup(t *testing.T) *fixture {
	s := &servers{list: []chat.MCPServer{{
		ID: 1, Shared: true, HeaderNames: []string{"X-Theirs"}, MCPConfig: chat.MCPConfig{Name: "wiki", Transport: chat.MCPHTTP, URL: "http://wiki.internal/?key=theirs", Enabled: true},
	}}}
	return &fixture{servers: s, t: t, tool: manage.New(s, s), box: tooltest.New(t)}
}

func (f *fixture) run(arguments map[string]string) chat.ToolResult {
	f.t.Helper()
	raw, err := json.Marshal(arguments)
	require.NoError(f.t, err)
	got, err := f.tool.Run(f.t.Context(), f.box.Call("t.0.0", string(raw)))
	require.NoError(f.t, err)
	return got
}

func TestManageTools_AddsAServerOfThePersonsAndShowsNoValue(t *testing.T) {
	t.Parallel()
	f := setup(t)
	spec := f.tool.Spec()
	require.True(t, spec.Acts(), "a person is asked")
	require.True(t, spec.Optional)
	require.Equal(t, chat.ClassIdempotent, spec.Class)
	add := map[string]string{"action": "add_mcp", "name": "git", "mcp_config": `{"command":"npx","args":["-y","server"],"env":{"TOKEN":"hers-alone"}}`, "instructions": "for code"}
	got := f.run(add)
	require.False(t, got.IsError)
	require.Equal(t, "The MCP server git is stored. It offers:\ngit · stdio · npx -y server · given: TOKEN · 1 tool\n- log: Shows changes.\nleft out: tool bad: no schema", got.Content)
	require.Equal(t, "for code", f.drafts[0].Instructions)
	require.Equal(t, mcp.At{Server: 2, Person: 1, Box: f.box}, f.refreshed[0])
	f.run(add)
	require.Len(t, f.list, 2, "a second run finds what the first has made")
	for _, action := range []map[string]string{{"action": "list"}, {"action": "list_mcp"}, {"action": "list_mcp", "name": "git"}, {"action": "reload", "name": "git"}} {
		require.NotContains(t, f.run(action).Content, "hers-alone")
		require.Contains(t, f.run(action).Content, "git · stdio")
	}
	raw, err := json.Marshal(add)
	require.NoError(t, err)
	require.Equal(t, "add_mcp git", f.tool.Summary(string(raw)))
}

func TestManageTools_SaysWhyAServerOffersNothing(t *testing.T) {
	t.Parallel()
	f := setup(t)
	got := f.run(map[string]string{"action": "add_mcp", "name": "broken", "mcp_config": `{"url":"https://x.example"}`})
	require.False(t, got.IsError, "it is stored")
	require.Equal(t, "The MCP server broken is stored. It offers nothing yet: the MCP server broken cannot be used: it is away.", got.Content)
}

func TestManageTools_LeavesTheInstallationsServersAlone(t *testing.T) {
	t.Parallel()
	f := setup(t)
	got := f.run(map[string]string{"action": "remove_mcp", "name": "wiki"})
	require.True(t, got.IsError)
	require.Contains(t, got.Content, "changed by administrators")
	require.Equal(t, "wiki · of the installation · 0 tools", f.run(map[string]string{"action": "list"}).Content, "how it is reached is for administrators")
	require.Equal(t, "The user has no MCP servers of their own.", f.run(map[string]string{"action": "reload"}).Content)
	require.Empty(t, f.refreshed)
}

func TestManageTools_RemovesWithTheConnections(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.run(map[string]string{"action": "add_mcp", "name": "git", "mcp_config": `{"command":"x"}`})
	require.Contains(t, f.run(map[string]string{"action": "reload"}).Content, "git: It offers:")
	got := f.run(map[string]string{"action": "remove_mcp", "name": "git"})
	require.Equal(t, "The MCP server git is removed, with its tools.", got.Content)
	require.Equal(t, []int64{2}, f.forgotten)
	require.Len(t, f.list, 1)
}

func TestManageTools_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for why, arguments := range map[string]map[string]string{
		"action must be":         {"action": "explode", "name": "x"},
		"name is empty":          {"action": "add_mcp"},
		"must be a JSON object":  {"action": "add_mcp", "name": "x", "mcp_config": "npx"},
		"cannot be the name":     {"action": "add_mcp", "name": "A B", "mcp_config": `{"command":"x"}`},
		"there is no MCP server": {"action": "reload", "name": "x"},
	} {
		got := f.run(arguments)
		require.True(t, got.IsError)
		require.Contains(t, got.Content, why)
	}
}
