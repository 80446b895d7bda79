package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/extension/mcp/mcptest"
)

// kiosk is an MCP server that is a command on a runner. Its first call of a tool hangs until the file "open" is there; each call leaves a line.
const kiosk = `
const fs = require("fs"), name = process.argv[2]
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n")
const tool = (name, annotations) => ({ name, description: "Sells a fruit.", inputSchema: { type: "object" }, annotations })
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "kiosk", version: "1" } }),
  "tools/list": () => ({ tools: [tool("buy", {}), tool("look", { readOnlyHint: true })] }),
}
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  if (method !== "tools/call") return say(answers[method] ? { id, result: answers[method](params) } : { id, error: { code: -32601, message: "no such method" } })
  fs.appendFileSync(name + "." + params.name, process.pid + "\n")
  const done = () => say({ id, result: { content: [{ type: "text", text: params.name + " done" }] } })
  if (fs.readFileSync(name + "." + params.name, "utf8").split("\n").length > 2) return done()
  const wait = setInterval(() => fs.existsSync("open") && (clearInterval(wait), done()), 20)
})
`

// onRunner adds an MCP server that is a command.
func (s *server) onRunner(name, command string, args ...string) apiclient.MCPServerState {
	s.t.Helper()
	got, err := s.client.SetMCPServer(s.t.Context(), name, apiclient.MCPServerDraft{Command: command, Args: args, Shared: true, Trusted: true, Enabled: true})
	require.NoError(s.t, err)
	require.Empty(s.t, got.Problem)
	return got
}

// TestMCP_ACallOverStdioIsRunOnceWhateverIsKilled kills the server, the runner and the MCP server while a call of it is at work: one that acts is
// not made again, one that only reads is, and the next call of each works.
func TestMCP_ACallOverStdioIsRunOnceWhateverIsKilled(t *testing.T) {
	t.Parallel()
	for victim, kill := range map[string]func(k *talk, pid int){
		"the server":     func(k *talk, _ int) { k.crash(); k.boot() },
		"the runner":     func(k *talk, _ int) { signal(k.t, k.child("xbot-runner"), syscall.SIGKILL) },
		"the MCP server": func(k *talk, pid int) { signal(k.t, pid, syscall.SIGKILL) },
	} {
		t.Run(victim, func(t *testing.T) {
			t.Parallel()
			workspace := t.TempDir()
			s := newServer(t, "XBOT_WORKSPACE="+workspace)
			script := filepath.Join(workspace, "kiosk.js")
			require.NoError(t, os.WriteFile(script, []byte(kiosk), 0o600))
			for _, tool := range []string{"buy", "look"} {
				s.onRunner(tool+"er", "node", script, tool)
				k := s.newTalk()
				id := k.send(`call search_tools {"query":"fruit"}`, fmt.Sprintf("call mcp_%ser_%s {}", tool, tool), "say went on")
				log := filepath.Join(workspace, tool+"."+tool)
				var pid int
				require.Eventually(t, func() bool {
					data, err := os.ReadFile(log)
					if err != nil {
						return false
					}
					_, err = fmt.Sscan(string(data), &pid)
					return err == nil
				}, time.Minute, 10*time.Millisecond, "the call is at work")
				kill(k, pid)
				require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
				result, calls := k.toolResults()[1], func() int {
					data, err := os.ReadFile(log)
					require.NoError(t, err)
					return strings.Count(string(data), "\n")
				}
				if tool == "buy" {
					require.Contains(t, strings.ToLower(result), "outcome unknown", "it may have been bought")
					require.Equal(t, 1, calls(), "it is not bought again")
				} else {
					require.Contains(t, result, "look done")
					require.Equal(t, 2, calls())
				}
				require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send(fmt.Sprintf("call mcp_%ser_%s {}", tool, tool), "say again")).State)
				require.Contains(t, k.toolResults()[2], tool+" done", "a new one is started")
				require.Equal(t, []string{"went on", "again"}, k.answers())
				k.wellFormed()
			}
		})
	}
}

// TestMCP_ACommandLivesInTheWallsOfItsRunner has the reference server for files try what a command may not do either.
func TestMCP_ACommandLivesInTheWallsOfItsRunner(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	s := newServer(t, "XBOT_WORKSPACE="+workspace)
	s.onRunner("files", "node", mcptest.Reference(t, "filesystem"), "/")
	k := s.newTalk()
	secret, outside := filepath.Join(s.home, "secret.key"), "/etc/xbot-of-an-mcp-server"
	require.FileExists(t, secret)
	inside := filepath.Join(workspace, "inside.txt")
	k.untilEnded(time.Minute, k.send(
		`call search_tools {"query":"files"}`,
		fmt.Sprintf(`call mcp_files_read_text_file {"path":%q}`, secret),
		fmt.Sprintf(`call mcp_files_write_file {"path":%q,"content":"x"}`, outside),
		fmt.Sprintf(`call mcp_files_write_file {"path":%q,"content":"quinces"}`, inside),
		fmt.Sprintf(`call mcp_files_read_text_file {"path":%q}`, inside), "say tried"))
	results := k.toolResults()
	require.Len(t, results, 5)
	key, err := os.ReadFile(secret)
	require.NoError(t, err)
	require.NotContains(t, results[1], strings.TrimSpace(string(key)))
	require.Regexp(t, "(?i)error|permission|denied|no such", results[1])
	require.Regexp(t, "(?i)error|permission|denied|read-only", results[2])
	require.NoFileExists(t, outside)
	require.Contains(t, results[4], "quinces")
	require.FileExists(t, inside)
}
