package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// hostHooks lets hooks run commands on the server's host.
const hostHooks = "XBOT_HOST_HOOKS=on"

// hooks writes the administrator's hooks file.
func (s *server) hooks(text string) {
	s.t.Helper()
	require.NoError(s.t, os.WriteFile(filepath.Join(s.home, "hooks.json"), []byte(text), 0o644))
}

// onHost is a hooks file with one command on the host for each pair of event and command.
func onHost(pairs ...string) string {
	events := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		events[pairs[i]] = []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "host": true, "command": pairs[i+1]}}}}
	}
	text, err := json.Marshal(map[string]any{"enable_command_hooks": true, "hooks": events})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// lastRequest is what the model was told last.
func (s *server) lastRequest() string {
	s.t.Helper()
	requests := s.model.Requests()
	last, err := json.Marshal(requests[len(requests)-1])
	require.NoError(s.t, err)
	return string(last)
}

func TestHooks_ADeniedCallDoesNotRunAndTheModelIsTold(t *testing.T) {
	t.Parallel()
	s := newServer(t, hostHooks)
	k := s.newTalk()
	id := k.send(k.shell("echo a >> %s", k.file("before")), "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	s.hooks(onHost("PreToolUse", `grep -q forbidden && { echo not on Fridays >&2; exit 2; }; exit 0`)) // no restart
	id = k.send(k.shell("touch %s # forbidden", k.file("never")), k.shell("echo b >> %s", k.file("before")), "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.NoFileExists(t, k.file("never"))
	require.Equal(t, []string{"a", "b"}, k.trace("before"))
	require.Contains(t, s.lastRequest(), "refused this call: not on Fridays")
	k.wellFormed()
}

func TestHooks_AnAskIsTheOrdinaryQuestionAndSurvivesAKill(t *testing.T) {
	t.Parallel()
	s := newServer(t, hostHooks)
	k := s.newTalk()
	s.hooks(onHost("PreToolUse", fmt.Sprintf(`echo asked >> %s; echo '{"decision":"ask","reason":"this costs money"}'`, k.file("hook"))))
	id := k.send(k.shell("echo a >> %s", k.file("asked")), "say done")
	call := k.untilAsked(1)
	require.Equal(t, "this costs money", call.Approval.Reason)
	s.crash()
	s.boot()
	require.Equal(t, chat.ApprovalOpen, k.lastApproval().State)
	require.Empty(t, k.trace("asked"))
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow})
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"a"}, k.trace("asked"))
	require.Equal(t, []string{"asked"}, k.trace("hook"), "its outcome was recorded")
	k.wellFormed()
}

func TestHooks_ADeferredCallWaitsForAnAdministratorOverAKill(t *testing.T) {
	t.Parallel()
	s := newServer(t, hostHooks)
	k := s.newTalk()
	s.hooks(onHost("PreToolUse", `echo '{"decision":"defer","reason":"Ops decides"}'`))
	id := k.send(k.shell("echo a >> %s", k.file("deferred")), "say done")
	call := k.untilAsked(1)
	require.True(t, call.Approval.Deferred)
	s.crash()
	s.boot()
	require.Empty(t, k.trace("deferred"))
	waiting, err := s.client.ListDeferred(t.Context())
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	require.Equal(t, "Ops decides", waiting[0].Approval.Reason)
	_, err = s.client.DecideDeferred(t.Context(), call.ID, apiclient.DeferredDecision{Decision: apiclient.Allow})
	require.NoError(t, err)
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"a"}, k.trace("deferred"))
	k.wellFormed()
}

func TestHooks_AKillWhileAHookIsAskedRunsTheCommandOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t, hostHooks)
	k := s.newTalk()
	s.hooks(onHost("PreToolUse", fmt.Sprintf(`echo asked >> %s; test -e %s || sleep 20`, k.file("hook"), k.file("go"))))
	id := k.send(k.shell("echo a >> %s", k.file("ran")), "say done")
	require.Eventually(t, func() bool { return len(k.trace("hook")) == 1 }, time.Minute, 20*time.Millisecond)
	s.crash()
	require.NoError(t, os.WriteFile(k.file("go"), nil, 0o644))
	s.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, []string{"a"}, k.trace("ran"))
	require.Len(t, k.trace("hook"), 2, "a hook may be asked again")
	k.wellFormed()
}

func TestHooks_ArgumentsAndContextReachToolAndModel(t *testing.T) {
	t.Parallel()
	s := newServer(t, hostHooks)
	k := s.newTalk()
	s.hooks(onHost(
		"PreToolUse", fmt.Sprintf(`echo '{"updatedInput":{"command":"echo changed >> %s"},"context":"mind the budget"}'`, k.file("ran")),
		"PostToolUse", `echo the linter is happy`,
		"PostToolBatch", `echo the batch is over`,
		"SessionStart", `echo it is a red day`,
		"UserPromptSubmit", `echo this person likes brevity`,
	))
	id := k.send(k.shell("echo as written >> %s", k.file("ran")), "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Equal(t, []string{"changed"}, k.trace("ran"))
	told := s.lastRequest()
	for _, want := range []string{"mind the budget", "changed the arguments of this call", "the linter is happy", "the batch is over", "it is a red day", "this person likes brevity"} {
		require.Contains(t, told, want)
	}
	id = k.send("say again")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Equal(t, 1, strings.Count(s.lastRequest(), "it is a red day"), "a conversation begins once")
	k.wellFormed()
}

func TestHooks_ARefusedMessageIsNotShownToTheModel(t *testing.T) {
	t.Parallel()
	s := newServer(t, hostHooks)
	k := s.newTalk()
	s.hooks(onHost("UserPromptSubmit", `grep -q 4111 && { echo card numbers stay out >&2; exit 2; }; exit 0`))
	id := k.send("say never", "# my card is 4111")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Contains(t, k.lastNotice(), "card numbers stay out")
	require.Empty(t, s.model.Requests())
	id = k.send("say hello")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.NotContains(t, s.lastRequest(), "4111")
	require.Contains(t, k.dump(), "4111", "people still see it")
	require.Equal(t, []string{"hello"}, k.answers())
}

func TestHooks_AFaultyFileRefusesCallsInWordsAndNothingElse(t *testing.T) {
	t.Parallel()
	s := newServer(t, hostHooks)
	k := s.newTalk()
	s.hooks(`{"hooks":{"PreToolUse":[{"matcher":"Shell(","hooks":[]}]}}`)
	id := k.send(k.shell("touch %s", k.file("never")), "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.NoFileExists(t, k.file("never"))
	require.Contains(t, s.lastRequest(), "hooks.PreToolUse[0].matcher")
	require.Contains(t, s.lastRequest(), "missing closing")
	out, err := s.operate("hooks", "check")
	require.Error(t, err)
	require.Contains(t, out, "hooks.PreToolUse[0].matcher")
	s.hooks(`{}`)
	out, err = s.operate("hooks", "check")
	require.NoError(t, err, out)
	id = k.send(k.shell("echo a >> %s", k.file("mended")), "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Equal(t, []string{"a"}, k.trace("mended"))
}

func TestHooks_AreTriedWithoutConsequences(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	s.hooks(`{"enable_command_hooks":true,"hooks":{"PreToolUse":[{"matcher":"Shell","hooks":[
		{"type":"command","command":"grep -q forbidden && { echo not on Fridays >&2; exit 2; }; exit 0"}]}]}}`)
	for input, says := range map[string]string{`{"command":"touch forbidden"}`: "decision  deny\nreason    not on Fridays", `{"command":"ls"}`: "decision  allow"} {
		require.Contains(t, s.operated("hooks", "test", "PreToolUse", "Shell", input), says)
		k.send("/hooks test PreToolUse Shell " + input)
		k.untilNotice(time.Minute, says)
	}
	require.Contains(t, s.operated("hooks", "test", "PreToolUse", "Read", `{"path":"forbidden"}`), "asked     nobody")
	var left int
	require.NoError(t, s.look().QueryRow(t.Context(), `SELECT (SELECT count(*) FROM hook_outcomes) + (SELECT count(*) FROM tool_calls) + (SELECT count(*) FROM turns)`).Scan(&left))
	require.Zero(t, left)
}

func TestHooks_ASlowHookIsKilledAndACallItWasAskedAboutRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t, hostHooks)
	k := s.newTalk()
	s.hooks(`{"enable_command_hooks":true,"hooks":{
		"PreToolUse":[{"hooks":[{"type":"command","host":true,"command":"sleep 100","timeout":0.5}]}],
		"UserPromptSubmit":[{"hooks":[{"type":"command","host":true,"command":"sleep 100","timeout":0.5}]}]}}`)
	id := k.send(k.shell("touch %s", k.file("never")), "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.NoFileExists(t, k.file("never"))
	require.Contains(t, s.lastRequest(), "it did not answer within 500ms")
	require.Equal(t, []string{"done"}, k.answers(), "a message is answered all the same")
}

func TestHooks_AProjectsCommandsRunInItsSandboxWhereTheAdministratorSaysSo(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	project := `{"enable_command_hooks":true,"hooks":{"PreToolUse":[{"matcher":"Shell","hooks":[{"type":"command","command":"cat > seen.json; pwd; echo $XBOT_HOOK_EVENT"}]}]}}`
	id := k.send(create(t, ".xbot/hooks.json", json.RawMessage(project)), k.shell("ls seen.json"), "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Contains(t, s.lastRequest(), "No such file", "nobody asked for hooks of projects")
	s.hooks(`{"enable_command_hooks":true,"project_hooks":true}`)
	id = k.send(k.shell("ls seen.json"), "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Contains(t, s.lastRequest(), "No such file", "the person has not agreed to them")
	s.agree()
	id = k.send(k.shell("cat seen.json"), "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Contains(t, s.lastRequest(), `hook_event_name`)
	require.Contains(t, s.lastRequest(), `PreToolUse]`, "what it writes is told with the result")
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	b, err := json.Marshal(text)
	require.NoError(t, err)
	return string(b)
}

func TestHooks_AnAddressIsAskedWhereTheServerMayReachIt(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		fmt.Fprintf(w, `{"decision":"deny","reason":"said %s"}`, r.Header.Get("X-Key"))
	}))
	t.Cleanup(service.Close)
	file := fmt.Sprintf(`{"hooks":{"PreToolUse":[{"hooks":[{"type":"http","url":%q,"headers":{"X-Key":"$HOOK_KEY"},"allowed_env_vars":["HOOK_KEY"]}]}]}}`, service.URL)
	variables := filepath.Join(t.TempDir(), "variables")
	require.NoError(t, os.WriteFile(variables, []byte("HOOK_KEY=open-sesame\n"), 0o600))
	for _, allowed := range []bool{false, true} {
		env := []string{"XBOT_ENV_FILE=" + variables}
		if allowed {
			env = append(env, "XBOT_HTTP_ALLOW=127.0.0.1")
		}
		s := newServer(t, env...)
		s.hooks(file)
		k := s.newTalk()
		id := k.send(k.shell("touch %s", k.file("never")), "say done")
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
		require.NoFileExists(t, k.file("never"))
		if allowed {
			require.Contains(t, s.lastRequest(), "said open-sesame")
		} else {
			require.Contains(t, s.lastRequest(), "is not an address on the public internet")
			require.Zero(t, asked.Load())
		}
	}
}

func TestHooks_AreToldHowTurnsEnd(t *testing.T) {
	t.Parallel()
	s := newServer(t, hostHooks, "LLM_RETRY_ATTEMPTS=1", "LLM_RETRY_DELAY=10ms")
	k := s.newTalk()
	s.hooks(onHost("AgentStop", "cat > "+k.file("stop"), "AgentError", "cat > "+k.file("error")))
	told := func(name, what string) {
		t.Helper()
		require.Eventually(t, func() bool { return strings.Contains(strings.Join(k.trace(name), " "), what) }, time.Minute, 20*time.Millisecond)
	}
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, k.send("say hello there")).State)
	told("stop", `"content":"hello there"`)
	require.Equal(t, chat.TurnFailed, k.untilEnded(time.Minute, k.send("fail 401 9", "say never")).State)
	told("error", `"error_type":"failed"`)
	require.NotContains(t, k.trace("stop"), "failed")
}

// TestHooks_ACommandJudgesCallsOfUsersWithoutARunner has command hooks of the administrator at events of a user who has no runner: they run on the
// server's host, decide there, and refuse nothing else.
func TestHooks_ACommandJudgesCallsOfUsersWithoutARunner(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.hooks(`{"enable_command_hooks":true,"hooks":{
		"PreToolUse":[{"hooks":[{"type":"command","command":"grep -q forbidden && { echo not on Fridays >&2; exit 2; }; exit 0"}]}],
		"PostToolUse":[{"hooks":[{"type":"command","command":"echo the linter is happy"}]}],
		"UserPromptSubmit":[{"hooks":[{"type":"command","command":"grep -q 4111 && { echo card numbers stay out >&2; exit 2; }; exit 0"}]}]}}`)
	k := s.colleague("lena").newTalk()
	id := k.send(`call search_tools {"query":"reminder"}`, `call todo_list {}`, `call search_tools {"query":"forbidden"}`, k.shell("ls"), "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	results := k.toolResults()
	require.Len(t, results, 4)
	require.NotContains(t, results[0]+results[1], "refused")
	require.Contains(t, results[0], "the linter is happy")
	require.Contains(t, results[2], "refused this call: not on Fridays")
	require.Contains(t, results[3], "There is no runner for your commands yet")
	id = k.send("say never", "# my card is 4111")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Contains(t, k.lastNotice(), "card numbers stay out")
	k.wellFormed()
}

// TestHooks_NobodyIsAskedAboutACallWithoutARunner has rules and a hook ask before each call of a user who has no runner: a command fails at once
// with what to do, and no hook is told that somebody is asked.
func TestHooks_NobodyIsAskedAboutACallWithoutARunner(t *testing.T) {
	t.Parallel()
	s := newServer(t, hostHooks, "XBOT_TOOL_RULES=Shell=ask,FileCreate=ask")
	k := s.colleague("lena").newTalk()
	s.hooks(onHost("PermissionRequest", "echo asked >> "+k.file("hook")))
	failed := func(lines ...string) {
		t.Helper()
		id := k.send(lines...)
		require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
		results := k.toolResults()
		require.Contains(t, results[len(results)-1], "There is no runner for your commands yet")
		require.Nil(t, k.lastApproval())
	}
	failed(k.shell("ls"), "say done")
	failed(create(t, "a.txt", "x"), "say done")
	require.NoFileExists(t, k.file("hook"))
	s.hooks(onHost("PreToolUse", `echo '{"decision":"ask","reason":"this costs money"}'`))
	failed(k.shell("ls"), "say done")
	s.hooks(onHost("PreToolUse", `echo '{"decision":"defer","reason":"Ops decides"}'`))
	failed(k.shell("ls"), "say done")
	k.wellFormed()
}

// TestHooks_AServerWithACommandIsAskedForUsersWithoutARunner has a hook name an MCP server of the installation that is a command: for a user
// without a runner it runs on the server's host.
func TestHooks_AServerWithACommandIsAskedForUsersWithoutARunner(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	s := newServer(t, "XBOT_WORKSPACE="+workspace)
	script := filepath.Join(workspace, "kiosk.js")
	require.NoError(t, os.WriteFile(script, []byte(kiosk), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(workspace, "open"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(s.home, "mcp.json"), []byte(`{"mcpServers":{"kiosk":{"command":"node","args":[`+quoted(t, script)+`,"judge"]}}}`), 0o600))
	require.Eventually(t, func() bool {
		all, err := s.client.ListMCPServers(t.Context())
		require.NoError(t, err)
		return len(all) == 1
	}, time.Minute, 100*time.Millisecond)
	s.hooks(`{"hooks":{"PreToolUse":[{"hooks":[{"type":"mcp_tool","server":"kiosk","tool":"look"}]}]}}`)
	k := s.colleague("lena").newTalk()
	id := k.send(`call todo_list {}`, "say done")
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Contains(t, k.toolResults()[0], "look done")
	require.NotContains(t, k.toolResults()[0], "refused")
	k.wellFormed()
}
