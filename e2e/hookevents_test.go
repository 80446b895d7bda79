package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// ear is an address that hooks are sent to.
type ear struct {
	t   *testing.T
	url string

	mu     sync.Mutex
	heard  []map[string]any
	answer func(p map[string]any) string // nil: nothing
}

// reachable lets hooks reach an ear.
const reachable = "XBOT_HTTP_ALLOW=127.0.0.1"

func newEar(t *testing.T) *ear {
	t.Helper()
	e := &ear{t: t}
	service := httptest.NewServer(e)
	t.Cleanup(service.Close)
	e.url = service.URL
	return e
}

// ServeHTTP keeps a payload and answers it.
func (e *ear) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var p map[string]any
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	e.heard = append(e.heard, p)
	answer := e.answer
	e.mu.Unlock()
	if answer != nil {
		_, _ = w.Write([]byte(answer(p))) // whoever asked may be dead
	}
}

func (e *ear) says(answer func(p map[string]any) string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answer = answer
}

// told are the payloads of an event in a conversation, each once however often it was told.
func (e *ear) told(k chat.SessionKey, event hook.Event) (out []map[string]any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	ids := map[any]bool{}
	for _, p := range e.heard {
		if p["hook_event_name"] == string(event) && (k == "" || p["session_id"] == string(k)) && !ids[p["event_id"]] {
			ids[p["event_id"]] = true
			out = append(out, p)
		}
	}
	return out
}

// until waits until an event was told so many times, and returns its newest payload.
func (e *ear) until(k chat.SessionKey, event hook.Event, n int) map[string]any {
	e.t.Helper()
	require.Eventually(e.t, func() bool { return len(e.told(k, event)) >= n }, crashLimit, 20*time.Millisecond, "%s should be told", event)
	all := e.told(k, event)
	require.Len(e.t, all, n, "%s", event)
	return all[n-1]
}

// has asserts the members of a payload beside those that all have.
func has(t *testing.T, p map[string]any, members ...string) {
	t.Helper()
	every := []string{"hook_event_name", "event_id", "session_id", "turn_id", "channel", "sender_id", "timestamp"}
	got := slices.Sorted(maps.Keys(p))
	got = slices.DeleteFunc(got, func(m string) bool { return slices.Contains(every, m) || m == "cwd" || m == "chat_id" })
	slices.Sort(members)
	require.Equal(t, members, got, "%v", p["hook_event_name"])
	for _, m := range every {
		require.NotEmpty(t, p[m], "%s of %v", m, p["hook_event_name"])
	}
}

// everyEvent is a hooks file that sends all events to an address.
func everyEvent(t *testing.T, url string, only ...hook.Event) string {
	t.Helper()
	if len(only) == 0 {
		only = hook.Events()
	}
	events := map[hook.Event]any{}
	for _, e := range only {
		events[e] = []any{map[string]any{"hooks": []any{map[string]any{"type": "http", "url": url, "timeout": 60}}}}
	}
	text, err := json.Marshal(map[string]any{"hooks": events})
	require.NoError(t, err)
	return string(text)
}

// TestHooks_AreToldEveryEventWithItsFields tells the life of some conversations, and looks for each of the 17 events in it.
func TestHooks_AreToldEveryEventWithItsFields(t *testing.T) {
	t.Parallel()
	e := newEar(t)
	k := cramped(t, 0, reachable, "LLM_RETRY_ATTEMPTS=1", "XBOT_TOOL_RULES=FileCreate=ask")
	k.hooks(everyEvent(t, e.url))

	k.done(k.shell("echo fine"), `call Read {"path":"not-there"}`, "say hello")
	p := e.until(k.key, hook.SessionStart, 1)
	has(t, p, "source", "memory_provider")
	require.Equal(t, "startup", p["source"])
	require.Equal(t, "flat", p["memory_provider"])
	p = e.until(k.key, hook.UserPromptSubmit, 1)
	has(t, p, "prompt")
	require.Contains(t, p["prompt"], "say hello")
	p = e.until(k.key, hook.PreToolUse, 2)
	has(t, p, "tool_name", "tool_input", "tool_use_id")
	require.Equal(t, map[string]any{"path": "not-there"}, p["tool_input"])
	p = e.until(k.key, hook.PostToolUse, 1)
	require.Equal(t, "Shell", p["tool_name"])
	require.Contains(t, p["tool_output"], "fine")
	p = e.until(k.key, hook.PostToolUseFailure, 1)
	require.Equal(t, "Read", p["tool_name"])
	require.Contains(t, p["tool_error"], "not-there")
	p = e.until(k.key, hook.PostToolBatch, 1)
	has(t, p, "tool_count", "results")
	require.EqualValues(t, 2, p["tool_count"])
	results, err := json.Marshal(p["results"])
	require.NoError(t, err)
	require.Regexp(t, `^\[\{"elapsed":\d+,"success":true,"tool_name":"Shell"\},\{"elapsed":\d+,"error":".*not-there.*","success":false,"tool_name":"Read"\}\]$`, string(results))
	p = e.until(k.key, hook.AgentStop, 1)
	has(t, p, "content")
	require.Equal(t, "hello", p["content"])

	permissions(t, k.server, e)
	k.done(k.subagent(args{"role": "explorer", "instance": "scout"}, "say found"), "say ok")
	p = e.until("", hook.SubAgentStart, 1)
	has(t, p, "agent_type", "instance", "task")
	require.Equal(t, []any{"explorer", "scout", "say found"}, []any{p["agent_type"], p["instance"], p["task"]})
	p = e.until("", hook.SubAgentStop, 1)
	has(t, p, "agent_type", "instance", "content")
	require.Equal(t, []any{"explorer", "scout", "found"}, []any{p["agent_type"], p["instance"], p["content"]})

	failing := k.newTalk()
	require.Equal(t, chat.TurnFailed, failing.untilEnded(time.Minute, failing.send("fail 401 9", "say never")).State)
	p = e.until(failing.key, hook.AgentError, 1)
	has(t, p, "error_type", "error_message")
	require.Equal(t, "failed", p["error_type"])
	require.Empty(t, e.told(failing.key, hook.AgentStop))

	compressions(t, k, e)
	k.done("/new say again")
	require.Equal(t, "new", e.until(k.key, hook.SessionEnd, 1)["source"])
	require.Equal(t, "new", e.until(k.key, hook.SessionStart, 2)["source"])
	fromOutside(t, k.server, e)
	for _, event := range hook.Events() {
		require.NotEmpty(t, e.told("", event), "%s", event)
	}
}

// permissions has a person refuse a call.
func permissions(t *testing.T, s *server, e *ear) {
	t.Helper()
	k := s.newTalk()
	id := k.send(`call FileCreate {"path":"never","content":"x"}`, "say ok")
	call := k.untilAsked(1)
	p := e.until(k.key, hook.PermissionRequest, 1)
	require.Equal(t, "FileCreate", p["tool_name"])
	require.Equal(t, string(call.ID), p["tool_use_id"])
	require.Empty(t, e.told(k.key, hook.PermissionDenied))
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Deny, Note: "not now"})
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	p = e.until(k.key, hook.PermissionDenied, 1)
	has(t, p, "tool_name", "tool_input", "tool_use_id", "reason")
	require.Equal(t, "not now", p["reason"])
}

// compressions compresses a conversation at a person's word, and one with nothing to compress.
func compressions(t *testing.T, k *talk, e *ear) {
	t.Helper()
	k.fill(6)
	k.done("/compact")
	p := e.until(k.key, hook.PreCompact, 1)
	has(t, p, "trigger", "message_count", "estimated_tokens_before")
	require.Equal(t, "manual", p["trigger"])
	require.Greater(t, p["message_count"], 12.0)
	before := p["estimated_tokens_before"]
	p = e.until(k.key, hook.PostCompact, 1)
	has(t, p, "trigger", "estimated_tokens_before", "estimated_tokens_after")
	require.Equal(t, before, p["estimated_tokens_before"], "nothing was said in between")
	require.Less(t, p["estimated_tokens_after"], before)
	short := k.newTalk()
	short.done("/compact")
	e.until(short.key, hook.AgentStop, 1)
	require.Len(t, e.told(short.key, hook.PreCompact), 1)
	require.Empty(t, e.told(short.key, hook.PostCompact), "nothing was compressed")
}

// fromOutside has a job run and a trigger called.
func fromOutside(t *testing.T, s *server, e *ear) {
	t.Helper()
	j := s.job(chat.JobPlan{When: "in 1h", Message: "say the hour"})
	require.NoError(t, s.client.RunJob(t.Context(), j.ID, "once"))
	p := e.until(s.own(j.ID).key, hook.CronFired, 1)
	has(t, p, "job_id", "message")
	require.Equal(t, string(j.ID), p["job_id"])
	require.Equal(t, "say the hour", p["message"])
	m := s.newTrigger(chat.TriggerDraft{Name: "ci", Template: "say built {{.Payload.commit}}"})
	require.Equal(t, http.StatusAccepted, s.call(m, m.Secret, "d-1", `{"commit":"c0ffee"}`, time.Now()))
	p = e.until(m.Trigger.Session, hook.WebhookReceived, 1)
	has(t, p, "trigger_id", "payload")
	require.Equal(t, m.Trigger.ID, p["trigger_id"])
	require.Contains(t, p["payload"], "c0ffee")
	e.until(m.Trigger.Session, hook.AgentStop, 1)
}

// TestHooks_AKillWhileTheyAreAskedLeavesOneOutcomeOfEach kills the server while four hooks that may deny are being asked. They
// deny when they are asked again.
func TestHooks_AKillWhileTheyAreAskedLeavesOneOutcomeOfEach(t *testing.T) {
	t.Parallel()
	e := newEar(t)
	s := newServer(t, reachable, askForShell)
	deciding := []hook.Event{hook.UserPromptSubmit, hook.PermissionRequest, hook.CronFired, hook.WebhookReceived}
	s.hooks(everyEvent(t, e.url, deciding...))
	killed := make(chan struct{})
	e.says(func(p map[string]any) string {
		if p["prompt"] != nil && !strings.Contains(p["prompt"].(string), "zebra") {
			return ""
		}
		<-killed
		return fmt.Sprintf(`{"decision":"deny","reason":"no %s"}`, p["hook_event_name"])
	})
	prompt, permission := s.newTalk(), s.newTalk()
	said := prompt.send("say zebra")
	asked := permission.send(permission.shell("touch %s", permission.file("never")), "say ok")
	j := s.job(chat.JobPlan{When: "in 1s", Message: "say zebra hour"})
	m := s.newTrigger(chat.TriggerDraft{Name: "ci", Template: "say zebra build"})
	require.Equal(t, http.StatusAccepted, s.call(m, m.Secret, "d-1", "{}", time.Now()))
	e.until(prompt.key, hook.UserPromptSubmit, 1)
	e.until(permission.key, hook.PermissionRequest, 1)
	e.until("", hook.CronFired, 1)
	e.until("", hook.WebhookReceived, 1)
	s.crash()
	close(killed)
	s.boot()
	require.Equal(t, chat.TurnDone, prompt.untilEnded(crashLimit, said).State)
	require.Equal(t, chat.TurnDone, permission.untilEnded(crashLimit, asked).State)
	db := s.look()
	refused := `SELECT count(*) FROM hook_outcomes WHERE decision = 'deny' AND reason = 'no ' || event`
	require.Eventually(t, func() bool {
		var n int
		return db.QueryRow(t.Context(), refused).Scan(&n) == nil && n == len(deciding)
	}, crashLimit, 50*time.Millisecond, "one denial of each event")
	hour, build := s.own(j.ID), &talk{server: s, key: m.Trigger.Session}
	for _, k := range []*talk{prompt, hour, build} {
		require.Eventually(t, func() bool { return k.session().Running == "" && len(k.transcript().Queued) == 0 }, crashLimit, 50*time.Millisecond)
		require.Empty(t, k.answers(), "%s", k.key)
		require.Contains(t, k.lastNotice(), "no ", "%s", k.key)
	}
	require.NoFileExists(t, permission.file("never"))
	require.Nil(t, permission.lastApproval(), "nobody was asked")
	for _, r := range s.model.Requests() {
		require.NotContains(t, fmt.Sprint(r.Messages), "zebra", "nothing of what was refused is shown to the model")
	}
	require.Contains(t, s.lastRequest(), "no PermissionRequest")
	permission.wellFormed()
}

// create is a call that writes a file of JSON into the workspace.
func create(t *testing.T, path string, content any) string {
	t.Helper()
	text, err := json.Marshal(content)
	require.NoError(t, err)
	return fmt.Sprintf(`call FileCreate {"path":%q,"rewrite":true,"content":%s}`, path, quoted(t, string(text)))
}

// TestHooks_TheStrictestOfThreeLayersDecides has a handler in each file that says what the command asks it to say.
func TestHooks_TheStrictestOfThreeLayersDecides(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	layer := func(name string) map[string]any {
		say := fmt.Sprintf(`d=$(tr ' ' '\n' | grep -o '^%s=[a-z]*' | cut -d= -f2); echo "{\"decision\":\"$d\",\"reason\":\"%s says $d\"}"`, name, name)
		more := fmt.Sprintf(`grep -q rewrite || exit 0; echo '{"updatedInput":{"command":"echo %s >> %s # rewrite"}}'`, name, k.file("updated"))
		commands := []any{map[string]any{"type": "command", "command": say}, map[string]any{"type": "command", "command": more}}
		return map[string]any{"hooks": map[string]any{"PreToolUse": []any{map[string]any{"matcher": "Shell", "hooks": commands}}}}
	}
	k.done(create(t, ".xbot/hooks.json", layer("project")), create(t, ".xbot/hooks.local.json", layer("local")), "say ok")
	home := layer("home")
	home["enable_command_hooks"], home["project_hooks"] = true, true
	text, err := json.Marshal(home)
	require.NoError(t, err)
	s.hooks(string(text))
	k.done("say ok")
	s.agree()
	for i, c := range []struct{ home, project, local, want, reason string }{
		{"allow", "allow", "allow", "allow", ""},
		{"allow", "ask", "allow", "ask", "project says ask"},
		{"ask", "allow", "ask", "ask", "local says ask\nhome says ask"},
		{"ask", "allow", "defer", "defer", "local says defer"},
		{"defer", "ask", "allow", "defer", "home says defer"},
		{"allow", "defer", "deny", "deny", "local says deny"},
		{"deny", "ask", "defer", "deny", "home says deny"},
	} {
		name := fmt.Sprintf("ran-%d", i)
		id := k.send(k.shell("echo a >> %s # home=%s project=%s local=%s end", k.file(name), c.home, c.project, c.local), "say ok")
		if c.want == "ask" || c.want == "defer" {
			var call chat.ToolCall
			require.Eventually(t, func() bool {
				calls := lastCalls(k)
				if len(calls) == 0 || calls[0].Approval == nil || !strings.Contains(calls[0].Arguments, name) {
					return false
				}
				call = calls[0]
				return true
			}, crashLimit, 50*time.Millisecond, "%+v", c)
			require.Equal(t, c.reason, call.Approval.Reason, "%+v", c)
			require.Equal(t, c.want == "defer", call.Approval.Deferred, "%+v", c)
			require.Empty(t, k.trace(name))
			if c.want == "defer" {
				_, err := s.client.DecideDeferred(t.Context(), call.ID, apiclient.DeferredDecision{Decision: apiclient.Allow})
				require.NoError(t, err)
			} else {
				k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow})
			}
		}
		require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
		if c.want == "deny" {
			require.Empty(t, k.trace(name), "%+v", c)
			require.Contains(t, lastCalls(k)[0].Result, "refused this call: "+c.reason)
		} else {
			require.Equal(t, []string{"a"}, k.trace(name), "%+v", c)
		}
	}
	k.done(k.shell("echo home=allow project=allow local=allow # rewrite"), "say ok")
	require.Equal(t, []string{"home"}, k.trace("updated"), "of several new arguments those of the administrator stand")
	k.wellFormed()
}
