package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// example builds an example plugin and returns its folder, without what is not a part of it.
func example(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	from := filepath.Join("..", "examples", "plugins", name)
	manifest, err := os.ReadFile(filepath.Join(from, "plugin.json"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plugin.json"), manifest, 0o600))
	if web := filepath.Join(from, "web"); name == "feeds" { // it has a panel
		require.NoError(t, os.CopyFS(filepath.Join(dir, "web"), os.DirFS(web)))
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, name), "./"+from)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

// install installs a plugin with all that it asks for.
func (s *server) install(path string) {
	s.t.Helper()
	out, err := s.operate("plugin", "install", "--yes", path)
	require.NoError(s.t, err, out)
	rows, err := s.operate("plugin", "list") // from the database
	require.NoError(s.t, err, rows)
	require.Eventually(s.t, func() bool {
		known, err := s.client.ListPlugins(s.t.Context())
		require.NoError(s.t, err)
		return !slices.ContainsFunc(strings.Split(rows, "\n")[1:], func(row string) bool {
			one := strings.Fields(row)
			return !slices.ContainsFunc(known, func(p apiclient.Plugin) bool { return p.ID == one[0] && p.Version == one[1] })
		})
	}, time.Minute, 50*time.Millisecond, "a server learns within a second what was installed")
}

// feedServer has one feed with entries that a test adds to.
func feedServer(t *testing.T) *httptest.Server {
	t.Helper()
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<?xml version="1.0"?><rss version="2.0"><channel><title>Orchard news</title>
			<item><title>Quinces are ripe</title><link>http://orchard.test/2</link><description>&lt;b&gt;Come&lt;/b&gt; and pick.</description></item>
			<item><title>Apples are ripe</title><link>http://orchard.test/1</link></item></channel></rss>`)
	}))
	t.Cleanup(served.Close)
	return served
}

// TestPlugin_FeedsAreReadFollowedAndToldOf installs the example plugin in Go, and uses all that it adds: a tool, a slash command, values that it
// keeps for a person, text of prompts and a setting. Switched off it adds nothing.
func TestPlugin_FeedsAreReadFollowedAndToldOf(t *testing.T) {
	t.Parallel()
	s := diskServer(t)
	dir, feed := example(t, "feeds"), feedServer(t)
	refused, err := s.operate("plugin", "install", dir) // nobody answers the question
	require.Error(t, err)
	require.Contains(t, refused, "opens connections to other machines")
	require.Contains(t, refused, "plugin_feeds_read")
	listed, err := s.operate("plugin", "list")
	require.NoError(t, err)
	require.Equal(t, "No plugins are installed.", listed)
	s.install(dir)

	k := s.newTalk()
	read := fmt.Sprintf(`call plugin_feeds_read {"url":%q}`, feed.URL)
	k.untilEnded(time.Minute, k.send(`call search_tools {"query":"feed"}`, read, "say read"))
	require.Contains(t, k.toolResults()[0], "plugin_feeds_read", "tools of plugins are found")
	require.Contains(t, k.toolResults()[1], "no public address", "this machine is not the internet")

	out, err := s.operate("plugin", "set", "feeds", "private_addresses", "true")
	require.NoError(t, err, out)
	require.Eventually(t, func() bool {
		k.untilEnded(time.Minute, k.send(read, "say read"))
		all := k.toolResults()
		return strings.Contains(all[len(all)-1], "## Quinces are ripe")
	}, time.Minute, 100*time.Millisecond, "a setting is in force within a second")
	all := k.toolResults()
	require.Contains(t, all[len(all)-1], "Come and pick.")

	require.Contains(t, k.command("/feeds add "+feed.URL), "Followed: Orchard news")
	require.Contains(t, k.command("/feeds"), feed.URL)
	require.Contains(t, k.command("/commands"), "/feeds")
	other := s.newTalk()
	other.untilEnded(time.Minute, other.send("say hello"))
	require.Contains(t, s.lastRequest(), "written by programs")
	require.Contains(t, s.lastRequest(), "Orchard news")
	require.Contains(t, s.lastRequest(), "2 unread")

	out, err = s.operate("plugin", "disable", "feeds")
	require.NoError(t, err, out)
	require.Eventually(t, func() bool { return strings.Contains(k.command("/feeds"), "no command") }, time.Minute, 100*time.Millisecond)
	out, err = s.operate("plugin", "enable", "feeds")
	require.NoError(t, err, out)
	require.Eventually(t, func() bool { return strings.Contains(k.command("/feeds"), feed.URL) }, time.Minute, 100*time.Millisecond, "what it keeps stays")
	out, err = s.operate("plugin", "remove", "feeds")
	require.NoError(t, err, out)
	listed, err = s.operate("plugin", "list")
	require.NoError(t, err)
	require.Equal(t, "No plugins are installed.", listed)
}

// command writes a slash command and returns the answer.
func (k *talk) command(text string) string {
	k.t.Helper()
	k.send(text)
	said := k.notices()
	return said[len(said)-1]
}

// pest is a plugin that does what a test tells it. It speaks the protocol without an SDK.
const pest = `
const fs = require("fs"), { execSync } = require("child_process")
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n")
const mark = (name) => fs.appendFileSync(process.env.XBOT_PLUGIN_DATA + "/" + name, process.pid + "\n")
const tools = {
  echo: (a) => a.text,
  crash: () => process.exit(3),
  hang: () => { for (;;); },
  flood: () => { for (;;) process.stdout.write("x".repeat(1 << 20)) },
  spam: () => { for (let i = 0; i < 1e6; i++) say({ method: "log", params: { level: "info", message: "spam " + i } }); return "spammed" },
  long: () => "y".repeat(2 << 20),
  memory: () => { const all = []; for (;;) all.push(Buffer.alloc(1 << 26, 1)) },
  run: (a) => { try { return "ok: " + execSync(a.command, { stdio: ["ignore", "pipe", "pipe"], timeout: 55000 }) } catch (e) { return "failed: " + e.status + " " + e.stderr } },
}
const slow = (name, id) => {
  mark(name)
  const done = () => say({ id, result: { text: name + " done" } })
  if (fs.readFileSync(process.env.XBOT_PLUGIN_DATA + "/" + name, "utf8").split("\n").length > 2) return done()
  const wait = setInterval(() => fs.existsSync(process.env.XBOT_PLUGIN_DATA + "/open") && (clearInterval(wait), done()), 20)
}
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === "shutdown") process.exit(0)
  if (id === undefined) return
  if (method !== "tools/call") return say({ id, result: {} })
  if (params.name === "buy" || params.name === "look") return slow(params.name, id)
  say({ id, result: { text: String(tools[params.name](params.arguments)) } })
})
`

// newPest writes the pest and returns its folder. A call may take so many seconds, which include the start of its process.
func newPest(t *testing.T, id string, seconds int) string {
	t.Helper()
	type tool map[string]any
	object := json.RawMessage(`{"type":"object"}`)
	tools := []tool{{"name": "buy", "description": "Buys a fruit.", "parameters": object}, {"name": "look", "description": "Looks at a fruit.", "parameters": object, "read_only": true}}
	for _, name := range []string{"echo", "crash", "hang", "flood", "spam", "long", "memory", "run"} {
		tools = append(tools, tool{"name": name, "description": "Tries to " + name + ".", "parameters": object})
	}
	manifest, err := json.Marshal(map[string]any{
		"id": id, "name": "Pest", "version": "1", "runtime": "stdio", "command": []string{"node", "main.js"}, "permissions": []string{}, "timeout": seconds,
		"contributes": map[string]any{"tools": tools},
	})
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), id)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plugin.json"), manifest, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.js"), []byte(pest), 0o600))
	return dir
}

// knows waits until the server knows a tool of a plugin, which may take it a second.
func (k *talk) knows(tool string) {
	k.t.Helper()
	require.Eventually(k.t, func() bool {
		k.untilEnded(time.Minute, k.send(fmt.Sprintf(`call search_tools {"query":%q}`, tool), "say looked"))
		results := k.toolResults()
		return strings.Contains(results[len(results)-1], tool)
	}, time.Minute, 100*time.Millisecond, "%s is known", tool)
}

// TestPlugin_ACallIsRunOnceWhateverIsKilled kills the server, the runner and the plugin while a call of it is at work: one that acts is not made
// again, one that only reads is, and the next call of each works.
func TestPlugin_ACallIsRunOnceWhateverIsKilled(t *testing.T) {
	t.Parallel()
	for victim, kill := range map[string]func(k *talk, pid int){
		"the server": func(k *talk, _ int) { k.crash(); k.boot() },
		"the runner": func(k *talk, _ int) { signal(k.t, k.child("xbot-runner"), syscall.SIGKILL) },
		"the plugin": func(k *talk, pid int) { signal(k.t, pid, syscall.SIGKILL) },
	} {
		t.Run(victim, func(t *testing.T) {
			t.Parallel()
			s := diskServer(t)
			for _, tool := range []string{"buy", "look"} {
				s.install(newPest(t, tool+"er", 60)) // a call that is repeated starts two processes in this time
				k := s.newTalk()
				call := fmt.Sprintf("call plugin_%ser_%s {}", tool, tool)
				log := ""
				k.knows("plugin_" + tool + "er_" + tool)
				id := k.send(call, "say went on")
				var pid int
				require.Eventually(t, func() bool {
					if at, _ := filepath.Glob(filepath.Join(s.home, "plugins", "data", tool+"er", "*", tool)); len(at) == 1 {
						log = at[0]
					}
					data, err := os.ReadFile(log)
					if err != nil {
						return false
					}
					_, err = fmt.Sscan(string(data), &pid)
					return err == nil
				}, time.Minute, 10*time.Millisecond, "the call is at work")
				kill(k, pid)
				require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
				results := k.toolResults()
				result := results[len(results)-1]
				data, err := os.ReadFile(log)
				require.NoError(t, err)
				if tool == "buy" {
					require.Contains(t, strings.ToLower(result), "outcome unknown", "it may have been bought")
					require.Equal(t, 1, strings.Count(string(data), "\n"), "it is not bought again")
				} else {
					require.Contains(t, result, "look done")
					require.Equal(t, 2, strings.Count(string(data), "\n"))
				}
				require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, k.send(call, "say again")).State)
				results = k.toolResults()
				require.Contains(t, results[len(results)-1], tool+" done", "a new one is started")
				answers := k.answers()
				require.Equal(t, []string{"went on", "again"}, answers[len(answers)-2:])
				k.wellFormed()
			}
		})
	}
}

// TestPlugin_ThatCrashesHangsOrFloodsHarmsNobody has a plugin misbehave in every way: the turn goes on, another plugin works, and administrators
// are told.
func TestPlugin_ThatCrashesHangsOrFloodsHarmsNobody(t *testing.T) {
	t.Parallel()
	s := diskServer(t)
	s.install(newPest(t, "pest", 5))
	s.install(newPest(t, "good", 60))
	k, other := s.newTalk(), s.newTalk()
	for _, how := range []string{"hang", "flood", "spam", "long", "memory", "crash"} {
		id := k.send("call plugin_pest_"+how+" {}", "say survived "+how)
		began := time.Now()
		other.untilEnded(time.Minute, other.send(`call plugin_good_echo {"text":"`+how+` elsewhere"}`, "say fine"))
		results := other.toolResults()
		require.Contains(t, results[len(results)-1], how+" elsewhere", "another plugin works meanwhile")
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
		require.Less(t, time.Since(began), 40*time.Second, how)
		results = k.toolResults()
		require.Less(t, len(results[len(results)-1]), 100_000, how)
		t.Log(how, results[len(results)-1])
		out, err := s.operate("plugin", "reload", "pest")
		require.NoError(t, err, out)
	}
	for n := 0; ; n++ {
		k.untilEnded(time.Minute, k.send("call plugin_pest_crash {}", "say survived"))
		listed, err := s.operate("plugin", "list")
		require.NoError(t, err)
		if strings.Contains(listed, "failing") {
			require.Contains(t, listed, "exit code 3")
			break
		}
		require.Less(t, n, 20, listed)
	}
	out, err := s.operate("plugin", "reload", "pest")
	require.NoError(t, err, out)
	require.Eventually(t, func() bool {
		k.untilEnded(time.Minute, k.send(`call plugin_pest_echo {"text":"well again"}`, "say fine"))
		results := k.toolResults()
		return strings.Contains(results[len(results)-1], "well again")
	}, time.Minute, 100*time.Millisecond, "a reload gives it another chance")
}

// TestPlugin_GuardKeepsSecretsOutOfCalls installs the example plugin in TypeScript: a hook, a choice among its settings, and a command for
// administrators.
func TestPlugin_GuardKeepsSecretsOutOfCalls(t *testing.T) {
	t.Parallel()
	s := diskServer(t)
	s.install("../examples/plugins/guard")
	k := s.newTalk()
	key := "AKIA" + strings.Repeat("A", 16)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send(k.shell("echo %s >> %s", key, k.file("leak")), k.shell("echo fine >> %s", k.file("fine")), "say done")).State)
	require.NoFileExists(t, k.file("leak"))
	require.Equal(t, []string{"fine"}, k.trace("fine"))
	require.Contains(t, k.toolResults()[0], "the call holds a key of AWS")
	require.Contains(t, k.command("/guard"), "refused 1 calls")
	out, err := s.operate("plugin", "set", "guard", "action", "ask")
	require.NoError(t, err, out)
	require.Eventually(t, func() bool { return s.settingOf("guard", "action") == "ask" }, time.Minute, 50*time.Millisecond)
	k.send(k.shell("echo %s >> %s", key, k.file("asked")), "say done")
	require.Contains(t, k.untilAsked(1).Approval.Reason, "a key of AWS")
	_, err = s.operate("plugin", "set", "guard", "action", "maybe")
	require.Error(t, err, "it is no choice")
}

// settingOf reads a setting that is in force.
func (s *server) settingOf(plugin, name string) any {
	s.t.Helper()
	all, err := s.client.ListPlugins(s.t.Context())
	require.NoError(s.t, err)
	for _, p := range all {
		for _, set := range p.Settings {
			if p.ID == plugin && set.Name == name {
				return set.Value
			}
		}
	}
	return nil
}

// TestPlugin_AScriptIsAskedForEachRequest has a shell script be a plugin: it reads a request and writes the answer.
func TestPlugin_AScriptIsAskedForEachRequest(t *testing.T) {
	t.Parallel()
	s := diskServer(t)
	dir := filepath.Join(t.TempDir(), "sh")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plugin.json"), []byte(`{
		"id":"sh","name":"Script","version":"1","runtime":"script","command":["./main.sh"],"permissions":["hooks"],
		"contributes":{"tools":[{"name":"count","description":"Counts.","read_only":true},{"name":"fail","description":"Fails."}],
			"hooks":[{"event":"PreToolUse","if":"Shell(rm *)"}],"commands":[{"name":"counted","help":{"en":"shows the count"}}]}}`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.sh"), []byte(`#!/bin/sh
read -r request
echo . >> "$XBOT_PLUGIN_DATA/count"
case "$request" in
*hooks/handle*) echo '{"decision":"deny","reason":"nothing is removed here"}' ;;
*'"name":"fail"'*) echo "no luck" >&2; exit 1 ;;
*) echo "asked $(grep -c . "$XBOT_PLUGIN_DATA/count") times" ;;
esac
`), 0o700))
	s.install(dir)
	k := s.newTalk()
	k.untilEnded(time.Minute, k.send("call plugin_sh_count {}", "call plugin_sh_fail {}", k.shell("rm -rf %s", k.file("all")), k.shell("echo a >> %s", k.file("kept")), "say done"))
	results := k.toolResults()
	require.Contains(t, results[0], "asked 1 times")
	require.Contains(t, results[1], "no luck")
	require.Contains(t, results[2], "nothing is removed here")
	require.Equal(t, []string{"a"}, k.trace("kept"), "a condition keeps other calls from the hook")
	require.Contains(t, k.command("/counted"), "asked 4 times")
}
