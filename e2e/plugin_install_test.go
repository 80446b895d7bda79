package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

// TestExamples_AreInstalledAsTheirReadmesSay runs the commands of the README of each example plugin, in a copy of what they need of this
// repository.
func TestExamples_AreInstalledAsTheirReadmesSay(t *testing.T) {
	t.Parallel()
	manifests, err := filepath.Glob("../examples/plugins/*/plugin.json")
	require.NoError(t, err)
	require.NotEmpty(t, manifests)
	s, checkout := diskServer(t), t.TempDir()
	for _, part := range []string{"examples", "sdk"} {
		require.NoError(t, os.CopyFS(filepath.Join(checkout, part), os.DirFS(filepath.Join("..", part))))
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(checkout, name), text, 0o600))
	}
	for _, manifest := range manifests {
		name := filepath.Base(filepath.Dir(manifest))
		page, err := os.ReadFile(filepath.Join(filepath.Dir(manifest), "README.md"))
		require.NoError(t, err, "%s says how it is installed", name)
		commands := commandsOf(string(page))
		require.NotEmpty(t, commands, name)
		for _, c := range commands {
			shell := exec.CommandContext(t.Context(), "bash", "-c", c.command)
			shell.Dir, shell.Env, shell.Stdin = checkout, append(s.environment(), "PATH="+bin+":"+os.Getenv("PATH")), strings.NewReader("y\n")
			out, err := shell.CombinedOutput()
			require.NoError(t, err, "%s: %s", c.command, out)
			require.Regexp(t, pattern(c.output), string(out), "%s", c.command)
		}
	}
	k := s.newTalk()
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send(k.shell("echo fine >> %s", k.file("fine")), "say done")).State)
	require.Equal(t, []string{"fine"}, k.trace("fine"), "none of them refuses what is harmless")
	require.Contains(t, s.doctor(), "✓ plugins")
}

// doctor is what xbot doctor prints, also where a check fails.
func (s *server) doctor() string {
	s.t.Helper()
	out, _ := s.operate("doctor") // it fails where a check does
	return out
}

// pluginFolder writes a plugin whose program is main.js, or is a script, and returns its folder.
func pluginFolder(t *testing.T, manifest string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "plugin")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plugin.json"), []byte(manifest), 0o600))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700))
	}
	return dir
}

// guarding is the manifest of a plugin with a hook before each call.
func guarding(version, runtime, command, settings string) string {
	return fmt.Sprintf(`{"id":"ward","name":"Ward","version":%q,"runtime":%q,"command":%s,"permissions":["hooks"],"timeout":5,
		"contributes":{"hooks":[{"event":"PreToolUse"}],"settings":[%s]}}`, version, runtime, command, settings)
}

// guards is a program that has no objection to anything, and keeps a line in its data folder.
const guards = `
const fs = require("fs")
fs.appendFileSync(process.env.XBOT_PLUGIN_DATA + "/starts", "started\n")
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line)
  if (method === "shutdown") process.exit(0)
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: {} }) + "\n")
})
`

// TestPlugin_ThatDoesNotStartIsNotInstalled installs plugins that do not start, from the command line and over HTTP: each is refused with the
// reason, calls go on, and a version that works stays in force.
func TestPlugin_ThatDoesNotStartIsNotInstalled(t *testing.T) {
	t.Parallel()
	s := diskServer(t)
	k := s.newTalk()
	works := func(name string) {
		t.Helper()
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send(k.shell("echo a >> %s", k.file(name)), "say done")).State)
		require.Equal(t, []string{"a"}, k.trace(name))
	}
	broken := map[string]struct {
		manifest string
		files    map[string]string
		says     []string
	}{
		"no main.mjs":    {guarding("2", "stdio", `["node","main.mjs"]`, ""), nil, []string{"exit code 1", "Cannot find module", "main.mjs"}},
		"no program":     {guarding("2", "stdio", `["./ward"]`, ""), nil, []string{"exit code 127", "not found"}},
		"not executable": {guarding("2", "stdio", `["./plugin.json"]`, ""), nil, []string{"exit code 126"}},
		"crash":          {guarding("2", "stdio", `["node","main.js"]`, ""), map[string]string{"main.js": `console.error("the moon is wrong"); process.exit(3)`}, []string{"exit code 3", "the moon is wrong"}},
		"silent":         {guarding("2", "stdio", `["sleep","100"]`, ""), nil, []string{"it could not be asked anything within 15s"}},
		"script":         {guarding("2", "script", `["node","main.mjs"]`, ""), nil, []string{"exit code 1", "Cannot find module"}},
		"lacks settings": {guarding("2", "stdio", `["./ward"]`, `{"name":"token","type":"secret","title":{"en":"Token"},"required":true}`), nil, []string{"exit code 127"}},
	}
	refused := func() {
		t.Helper()
		for name, c := range broken {
			out, err := s.operate("plugin", "install", "--yes", pluginFolder(t, c.manifest, c.files))
			require.Error(t, err, "%s: %s", name, out)
			for _, want := range append(c.says, "does not start", "nothing was installed or replaced") {
				require.Contains(t, out, want, name)
			}
		}
	}
	refused()
	out, err := s.operate("plugin", "list")
	require.NoError(t, err)
	require.Equal(t, "No plugins are installed.", out)
	works("before")

	s.install(pluginFolder(t, guarding("1", "stdio", `["node","main.js"]`, ""), map[string]string{"main.js": guards}))
	works("installed")
	refused()
	require.Regexp(t, `ward +1 +on`, s.operated("plugin", "list"))
	works("after")
	left, err := filepath.Glob(filepath.Join(s.home, "plugins", "data", "ward", "*", "starts"))
	require.NoError(t, err)
	require.Len(t, left, 1, "data of what was tried is removed")
}

// TestPlugin_TheLastFailureIsShown has a plugin fail once and work again: the list, the API and the doctor show its last failure.
func TestPlugin_TheLastFailureIsShown(t *testing.T) {
	t.Parallel()
	s := diskServer(t)
	s.install(newPest(t, "pest", 60))
	require.Contains(t, s.doctor(), "1 installed, none is failing")
	k := s.newTalk()
	k.untilEnded(time.Minute, k.send("call plugin_pest_crash {}", `call plugin_pest_echo {"text":"well again"}`, "say done"))
	require.Contains(t, k.toolResults()[1], "well again")
	require.Regexp(t, `pest +1 +on .*20\d\d-\d\d-\d\dT\S+ .*exit code 3`, s.operated("plugin", "list"))
	require.Regexp(t, `last failure 20\d\d-\d\d-\d\dT\S+ .*exit code 3`, s.doctor())
	all, err := s.client.ListPlugins(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Contains(t, all[0].Failure, "exit code 3")
	require.NotNil(t, all[0].FailureAt)
	require.Empty(t, all[0].Problem)
	s.install(newPest(t, "pest", 50))
	require.Eventually(t, func() bool {
		all, err = s.client.ListPlugins(t.Context())
		require.NoError(t, err)
		return all[0].FailureAt == nil
	}, time.Minute, 50*time.Millisecond, "another version has not failed")
}

// TestPlugin_NeedsAServerThatRunsToBeInstalled installs a plugin beside a server that does not run.
func TestPlugin_NeedsAServerThatRunsToBeInstalled(t *testing.T) {
	t.Parallel()
	s := diskServer(t)
	dir := pluginFolder(t, guarding("1", "stdio", `["node","main.js"]`, ""), map[string]string{"main.js": guards})
	s.crash()
	out, err := s.operate("plugin", "install", "--yes", dir)
	require.Error(t, err, out)
	require.Contains(t, out, "Start the server (xbot serve), then install it again")
	s.boot()
	require.Eventually(t, func() bool { _, err := s.operate("plugin", "install", "--yes", dir); return err == nil }, time.Minute, time.Second)
}
