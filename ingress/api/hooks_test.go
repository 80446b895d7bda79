package api_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/automation"
	"xbot/ingress/api/messages"
	"xbot/internal/automation/hook"
	"xbot/internal/chat"
	"xbot/internal/turn/calls"
	"xbot/internal/user/users"
)

// deferred makes a turn of bob's with a call that a hook has deferred.
func (b *bundle) deferred() (chat.SessionKey, chat.CallID) {
	b.t.Helper()
	return b.bob.deferred()
}

// deferred makes a turn of the person's with a call that a hook has deferred.
func (p *person) deferred() (chat.SessionKey, chat.CallID) {
	p.t.Helper()
	b := p.bundle
	key := p.session("agent:main:web:thread:defers").Key
	p.say(key, "m1", "deploy").is(http.StatusAccepted, nil)
	b.claim(key, "d1")
	step := chat.Step{Session: key, Turn: "d1"}
	_, _, _, err := b.store.Turns.BeginStep(b.t.Context(), step)
	require.NoError(b.t, err)
	id := chat.NewCallID("d1", 0, 0)
	_, err = b.store.Turns.CommitStep(b.t.Context(), step, chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{
		{ID: id, Name: "Shell", Class: chat.ClassExec, Arguments: `{"command":"deploy"}`, Summary: "deploy", Rule: chat.RuleAllow, Hooked: chat.Hooked{Hook: chat.HookDue}},
	}})
	require.NoError(b.t, err)
	fresh, err := b.store.Hooks.RecordHook(b.t.Context(), hook.Record{
		ID: string(id) + "/PreToolUse", Event: hook.PreToolUse, Session: key, Turn: "d1", Call: id, Outcome: hook.Outcome{Decision: hook.Defer, Reason: "Ops decides"},
	})
	require.NoError(b.t, err)
	require.True(b.t, fresh)
	_, err = b.store.Calls.Ask(b.t.Context(), id, chat.Request{})
	require.NoError(b.t, err)
	return key, id
}

func (b *bundle) waitingForAdministrators() []automation.DeferredCall {
	b.t.Helper()
	var list automation.DeferredList
	b.alice.get("/api/hooks/deferred").is(http.StatusOK, &list)
	return list.Deferred
}

func TestHooks_ADeferredCallIsListedAndDecidedByAdministratorsAlone(t *testing.T) {
	b := setup(t)
	require.Equal(t, `{"deferred":[]}`, strings.TrimSpace(string(b.alice.get("/api/hooks/deferred").body)))
	key, id := b.deferred()
	at := "/api/hooks/deferred/" + string(id)
	for _, path := range []string{"/api/hooks", "/api/hooks/deferred"} {
		b.do(nil, http.MethodGet, path, nil).problem(http.StatusUnauthorized)
		b.bob.get(path).problem(http.StatusForbidden)
	}
	b.do(nil, http.MethodPost, at, map[string]any{"decision": "allow"}).problem(http.StatusUnauthorized)
	b.bob.post(at, map[string]any{"decision": "allow"}).problem(http.StatusForbidden)
	ordinary := path(key, "/approvals/"+string(id))
	require.Contains(t, b.bob.post(ordinary, map[string]any{"decision": "allow"}).problem(http.StatusForbidden), "administrator", "not in their own conversation either")
	b.bob.say(key, "c1", "/approve").is(http.StatusAccepted, nil)
	b.bob.say(key, "c2", "/hooks allow "+string(id)).is(http.StatusAccepted, nil)
	var notices []string
	var said messages.Transcript
	b.bob.get(path(key, "/messages")).is(http.StatusOK, &said)
	for _, m := range said.Messages {
		if m.Role == chat.RoleNotice {
			notices = append(notices, m.Content)
		}
	}
	require.Len(t, notices, 2)
	require.Contains(t, notices[0], "An administrator has to allow this.")
	require.Contains(t, notices[1], "administrators")

	waiting := b.waitingForAdministrators()
	require.Len(t, waiting, 1, "nothing that bob tried was a decision")
	require.Equal(t, id, waiting[0].ID)
	require.Equal(t, key, waiting[0].Session)
	require.Equal(t, "bob", waiting[0].Owner)
	require.Equal(t, "Shell", waiting[0].Name)
	require.Equal(t, "Ops decides", waiting[0].Approval.Reason)
	require.True(t, waiting[0].Approval.Deferred)
	var shown messages.Transcript
	b.bob.get(path(key, "/messages")).is(http.StatusOK, &shown)
	require.True(t, shown.Messages[1].ToolCalls[0].Approval.Deferred, "its conversation says why nobody there is asked")

	var call chat.ToolCall
	b.alice.post(at, map[string]any{"decision": "deny", "note": " not today "}).is(http.StatusOK, &call)
	require.Equal(t, chat.ApprovalDenied, call.Approval.State)
	require.Equal(t, "not today", call.Approval.Note)
	require.Equal(t, "alice", call.Approval.AnsweredBy)
	require.Empty(t, b.waitingForAdministrators())
	require.Contains(t, b.alice.post(at, map[string]any{"decision": "allow"}).problem(http.StatusConflict), "answered before: denied by alice")
	require.Contains(t, b.bob.post(ordinary, map[string]any{"decision": "allow"}).problem(http.StatusConflict), "answered before: denied by alice")
}

func TestHooks_SayWhatIsWrongWithADecision(t *testing.T) {
	b := setup(t)
	key, id := b.deferred()
	at := "/api/hooks/deferred/" + string(id)
	b.alice.post(at, map[string]any{"decision": "defer"}).problem(http.StatusUnprocessableEntity)
	b.alice.post(at, map[string]any{}).problem(http.StatusUnprocessableEntity)
	b.alice.post(at, map[string]any{"decision": "deny", "note": strings.Repeat("x", 4001)}).problem(http.StatusUnprocessableEntity)
	b.alice.post("/api/hooks/deferred/"+strings.Repeat("x", 201), map[string]any{"decision": "allow"}).problem(http.StatusUnprocessableEntity)
	require.Contains(t, b.alice.post("/api/hooks/deferred/d1.0.7", map[string]any{"decision": "allow"}).problem(http.StatusNotFound), "d1.0.7")
	_, others := b.waiting("rm -rf build")
	require.Contains(t, b.alice.post("/api/hooks/deferred/"+string(others[0]), map[string]any{"decision": "allow"}).problem(http.StatusNotFound), "no hook has deferred")
	require.Len(t, b.waitingForAdministrators(), 1)
	_, err := b.store.Turns.FinishTurn(t.Context(), key, "d1", chat.TurnStopped, "")
	require.NoError(t, err)
	require.Empty(t, b.waitingForAdministrators(), "a stop ends the waiting")
	require.Contains(t, b.alice.post(at, map[string]any{"decision": "allow"}).problem(http.StatusConflict), "the turn that asked has ended")
	require.Contains(t, b.bob.post(path(key, "/approvals/"+string(id)), map[string]any{"decision": "allow"}).problem(http.StatusConflict), "the turn that asked has ended")
}

func TestHooks_ADeferredCallOfSomebodyElseIsNotThere(t *testing.T) {
	b := setup(t)
	key, id := b.deferred()
	carol, err := b.store.Users.CreateUser(t.Context(), "carol", users.RoleMember)
	require.NoError(t, err)
	b.person(carol).post(path(key, "/approvals/"+string(id)), map[string]any{"decision": "allow"}).problem(http.StatusNotFound)
	_, err = b.store.Calls.Answer(t.Context(), calls.Answer{Session: key, User: carol.ID, UserName: "carol", Call: id, Allow: true})
	require.ErrorContains(t, err, "there is no call")
}

func TestHooks_AreListedWithTheirFaults(t *testing.T) {
	b := setup(t)
	require.NoError(t, os.WriteFile(filepath.Join(b.home, "hooks.json"), []byte(`{"hooks":{
		"AgentStop":[{"hooks":[{"type":"callback","callback":"log","async":true}]}],
		"PreToolUse":[{"matcher":"Shell(","hooks":[]}],
		"CronFired":[{"hooks":[{"type":"http","url":"https://user:secret@policy.example/x?key=secret","headers":{"Authorization":"secret"}}]}]}}`), 0o600))
	var got automation.HooksBody
	answer := b.alice.get("/api/hooks")
	answer.is(http.StatusOK, &got)
	require.NotContains(t, string(answer.body), "secret")
	require.Len(t, got.Hooks, 2)
	require.Equal(t, "callback: log", got.Hooks[0].Label)
	require.True(t, got.Hooks[0].Async)
	require.Equal(t, "http: https://policy.example/x", got.Hooks[1].Label)
	require.Len(t, got.Faults, 1)
	require.Equal(t, "hooks.PreToolUse[0].matcher", got.Faults[0].Place)
	require.Empty(t, got.Deferred)
}
