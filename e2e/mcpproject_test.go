package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// TestMCP_AProjectsServersAreUsedOnceAPersonAgreed has the model write a .mcp.json: nothing of it runs until the person agrees, what they agreed to
// survives a kill, and another file is not used.
func TestMCP_AProjectsServersAreUsedOnceAPersonAgreed(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	s := newServer(t, "XBOT_WORKSPACE="+workspace)
	require.NoError(t, os.WriteFile(filepath.Join(workspace, "kiosk.js"), []byte(kiosk), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(workspace, "open"), nil, 0o600))
	k, sold := s.newTalk(), filepath.Join(workspace, "shop.buy")
	asks := func(words ...string) []string {
		t.Helper()
		require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send(words...)).State)
		return k.toolResults()
	}
	file := `{"mcpServers":{"stall":{"command":"node","args":["kiosk.js","shop"]}}}`
	write, err := json.Marshal(map[string]string{"command": "printf '%s' '" + file + "' > .mcp.json"})
	require.NoError(t, err)
	asks("call Shell "+string(write), "say written")
	results := asks("call mcp_stall_buy {}", "say tried")
	require.NoFileExists(t, sold, results)

	projects := func() []apiclient.MCPProject {
		t.Helper()
		all, err := s.client.ListMCPProjects(t.Context())
		require.NoError(t, err)
		return all
	}
	require.Eventually(t, func() bool { return len(projects()) == 1 }, time.Minute, 50*time.Millisecond, "it is shown to the person")
	require.Equal(t, "asks", projects()[0].State)
	agreed, err := s.client.AgreeToMCPProject(t.Context(), projects()[0].ID, projects()[0].Digest)
	require.NoError(t, err)
	require.Equal(t, "agreed", agreed.State)
	require.Equal(t, 2, agreed.Servers[0].Tools, agreed.Servers[0].Problem)

	s.crash()
	s.boot()
	results = asks("call mcp_stall_buy {}", "say bought")
	require.Contains(t, results[len(results)-1], "buy done")
	require.FileExists(t, sold)

	require.NoError(t, os.WriteFile(filepath.Join(workspace, ".mcp.json"), []byte(strings.Replace(file, "shop", "other", 1)), 0o600))
	results = asks("call mcp_stall_buy {}", "say tried again")
	require.NotContains(t, results[len(results)-1], "buy done", "another file waits for another word")
	require.NoFileExists(t, filepath.Join(workspace, "other.buy"))

	said := k.command("/folder")
	require.Contains(t, said, "changed since you agreed")
	require.Contains(t, said, "MCP server `stall` runs `node` `kiosk.js` `other`")
	agree := regexp.MustCompile("/folder agree [0-9a-f]+").FindString(said)
	require.NotEmpty(t, agree, said)
	require.Contains(t, k.command(agree), ": used")
	results = asks("call mcp_stall_buy {}", "say bought again")
	require.Contains(t, results[len(results)-1], "buy done")
	require.FileExists(t, filepath.Join(workspace, "other.buy"))
	before, err := os.ReadFile(sold)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(before), "\n"))
}
