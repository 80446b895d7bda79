package api_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/messages"
	"xbot/ingress/api/settings"
	"xbot/internal/chat"
)

// waiting makes a turn of alice's whose calls wait for her permission, and returns the session and the calls.
func (b *bundle) waiting(commands ...string) (chat.SessionKey, []chat.CallID) {
	b.t.Helper()
	key := b.alice.session("agent:main:web:thread:asks").Key
	b.alice.say(key, "m1", "clean up").is(http.StatusAccepted, nil)
	b.claim(key, "t1")
	step := chat.Step{Session: key, Turn: "t1"}
	_, _, _, err := b.store.Turns.BeginStep(b.t.Context(), step)
	require.NoError(b.t, err)
	answer := chat.Answer{Text: "I will remove the old build.", Finish: "tool_calls"}
	var ids []chat.CallID
	for n, command := range commands {
		id := chat.NewCallID("t1", 0, n)
		ids = append(ids, id)
		answer.Calls = append(answer.Calls, chat.ToolCall{ID: id, Name: "Shell", Class: chat.ClassExec, Arguments: `{"command":` + strconv.Quote(command) + `}`, Summary: command, Rule: chat.RuleAsk, Ruling: chat.Ruling{Always: []chat.ToolRule{{Tool: "Shell", Pattern: command, Rule: chat.RuleAllow}}}})
	}
	_, err = b.store.Turns.CommitStep(b.t.Context(), step, answer)
	require.NoError(b.t, err)
	for _, id := range ids {
		_, err = b.store.Calls.Ask(b.t.Context(), id, chat.Request{})
		require.NoError(b.t, err)
	}
	return key, ids
}

func (b *bundle) wokenTimes() int {
	b.wakes.mu.Lock()
	defer b.wakes.mu.Unlock()
	return len(b.wakes.rows)
}

func TestApprovals_AreAnsweredOnceByTheirOwner(t *testing.T) {
	b := setup(t)
	key, ids := b.waiting("rm -rf build")
	at := path(key, "/approvals/"+string(ids[0]))
	b.bob.post(at, map[string]any{"decision": "allow"}).problem(http.StatusNotFound)
	b.alice.post(at, map[string]any{"decision": "maybe"}).problem(http.StatusUnprocessableEntity)
	b.alice.post(at, map[string]any{"decision": "deny", "always": true}).problem(http.StatusBadRequest)
	b.alice.post(at, map[string]any{"decision": "deny", "note": strings.Repeat("x", 4001)}).problem(http.StatusUnprocessableEntity)
	b.alice.post(path(key, "/approvals/t1.0.7"), map[string]any{"decision": "allow"}).problem(http.StatusNotFound)

	require.Eventually(t, func() bool { return b.wokenTimes() == 1 }, limit, time.Millisecond, "the wake of the message")
	var call chat.ToolCall
	b.alice.post(at, map[string]any{"decision": "deny", "note": "keep it"}).is(http.StatusOK, &call)
	require.Equal(t, chat.ApprovalDenied, call.Approval.State)
	require.Equal(t, "keep it", call.Approval.Note)
	require.Equal(t, "alice", call.Approval.AnsweredBy)
	require.Equal(t, "I will remove the old build.", call.Approval.Reason)
	require.Eventually(t, func() bool { return b.wokenTimes() == 2 }, limit, time.Millisecond, "the turn is woken")

	detail := b.alice.post(at, map[string]any{"decision": "allow"}).problem(http.StatusConflict)
	require.Contains(t, detail, "answered before: denied by alice")
	var got messages.Transcript
	b.alice.get(path(key, "/messages")).is(http.StatusOK, &got)
	require.Equal(t, call.Approval, got.Messages[1].ToolCalls[0].Approval)
}

func TestApprovals_AreAnsweredByCommandsOldestFirst(t *testing.T) {
	b := setup(t)
	key, _ := b.waiting("rm `which a`", "rm b")
	b.alice.say(key, "c1", "/approve").is(http.StatusAccepted, nil)
	b.alice.say(key, "c1", "/approve").is(http.StatusAccepted, nil) // the same message sent again
	b.alice.say(key, "c2", "/deny 不要删").is(http.StatusAccepted, nil)
	b.alice.say(key, "c3", "/deny").is(http.StatusAccepted, nil)
	var got messages.Transcript
	b.alice.get(path(key, "/messages")).is(http.StatusOK, &got)
	calls := got.Messages[1].ToolCalls
	require.Equal(t, chat.ApprovalAllowed, calls[0].Approval.State)
	require.Equal(t, chat.ApprovalDenied, calls[1].Approval.State)
	require.Equal(t, "不要删", calls[1].Approval.Note)
	var notices []string
	for _, m := range got.Messages {
		if m.Role == chat.RoleNotice {
			notices = append(notices, m.Content)
		}
	}
	require.Equal(t, []string{"Allowed: Shell · `` rm `which a` ``", "已拒绝：Shell · `rm b`", "Nothing here waits for permission."}, notices)
}

func TestApprovals_AfterTheTurnComeTooLate(t *testing.T) {
	b := setup(t)
	key, ids := b.waiting("rm -rf build")
	_, err := b.store.Turns.FinishTurn(t.Context(), key, "t1", chat.TurnStopped, "")
	require.NoError(t, err)
	detail := b.alice.post(path(key, "/approvals/"+string(ids[0])), map[string]any{"decision": "allow"}).problem(http.StatusConflict)
	require.Contains(t, detail, "the turn that asked has ended")
}

func TestPermissions_AreTheUsersOwnOverThoseOfTheInstallation(t *testing.T) {
	b := setup(t)
	rules := func(p *person) map[string]chat.Rule {
		var body settings.Permissions
		p.get("/api/permissions").is(http.StatusOK, &body)
		out := map[string]chat.Rule{}
		for _, permission := range body.Tools {
			out[permission.Name] = permission.Rule
		}
		return out
	}
	require.Equal(t, map[string]chat.Rule{"Read": chat.RuleAsk, "Shell": chat.RuleAllow}, rules(b.alice))
	var set chat.ToolRule
	b.alice.put("/api/permissions/shell", map[string]any{"rule": "deny"}).is(http.StatusOK, &set)
	require.Equal(t, chat.ToolRule{Tool: "Shell", Rule: chat.RuleDeny}, set)
	b.alice.put("/api/permissions/Read", map[string]any{"rule": "allow"}).is(http.StatusOK, nil)
	require.Equal(t, map[string]chat.Rule{"Read": chat.RuleAllow, "Shell": chat.RuleDeny}, rules(b.alice))
	require.Equal(t, map[string]chat.Rule{"Read": chat.RuleAsk, "Shell": chat.RuleAsk}, rules(b.bob), "the rules of others are their own, and who is no administrator is asked")
	b.alice.put("/api/permissions/Nothing", map[string]any{"rule": "deny"}).problem(http.StatusNotFound)
	b.alice.put("/api/permissions/Shell", map[string]any{"rule": "perhaps"}).problem(http.StatusUnprocessableEntity)
}

func TestPermissions_RulesWithPatternsAndPresetsAreKeptAndTold(t *testing.T) {
	b := setup(t)
	mine := func() (out settings.Permissions) {
		b.alice.get("/api/permissions").is(http.StatusOK, &out)
		return out
	}
	var set chat.ToolRule
	b.alice.put("/api/permissions/Shell", map[string]any{"rule": "allow", "pattern": " git  status *"}).is(http.StatusOK, &set)
	require.Equal(t, chat.ToolRule{Tool: "Shell", Pattern: "git status", Rule: chat.RuleAllow}, set)
	require.Contains(t, b.alice.put("/api/permissions/Shell", map[string]any{"rule": "allow", "pattern": "git; rm"}).problem(http.StatusBadRequest), "the beginning of one command")
	b.alice.put("/api/permissions", map[string]any{"preset": "ask"}).is(http.StatusOK, nil)
	b.alice.put("/api/permissions", map[string]any{"preset": "perhaps"}).problem(http.StatusUnprocessableEntity)
	require.Equal(t, settings.Permissions{
		Preset: chat.PresetAsk, Default: chat.PresetAuto, Rules: []chat.ToolRule{set},
		Tools: []settings.ToolPermission{
			{Name: "Read", Class: chat.ClassRead, Summary: mine().Tools[0].Summary, Pattern: chat.PatternPath, Rule: chat.RuleAsk},
			{
				Name: "Shell", Class: chat.ClassExec, Acts: true, Pattern: chat.PatternCommand, Rule: chat.RuleAsk,
				Summary: "Runs a command with `sh -c` in the session's working folder; returns stdout, stderr and the exit code.",
			},
		},
	}, mine())
	b.bob.do(b.bob, http.MethodDelete, "/api/permissions/Shell?pattern=git+status", nil).problem(http.StatusNotFound)
	b.alice.do(b.alice, http.MethodDelete, "/api/permissions/Shell?pattern=git+status", nil).is(http.StatusNoContent, nil)
	b.alice.put("/api/permissions", map[string]any{"preset": ""}).is(http.StatusOK, nil)
	require.Empty(t, mine().Rules)
	require.Empty(t, mine().Preset)

	key := b.alice.session("agent:main:web:thread:preset").Key
	b.alice.do(b.alice, http.MethodPatch, path(key, ""), map[string]any{"preset": "read_only"}).is(http.StatusOK, nil)
	permits, err := b.store.Permissions.UserPermissions(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, chat.PresetReadOnly, permits.Here)
	b.alice.do(b.alice, http.MethodPatch, path(key, ""), map[string]any{"preset": "perhaps"}).problem(http.StatusBadRequest)
}

func TestApprovals_AlwaysAllowsSuchCallsFromNowOn(t *testing.T) {
	b := setup(t)
	key, ids := b.waiting("make")
	b.alice.post(path(key, "/approvals/"+string(ids[0])), map[string]any{"decision": "allow", "always": true}).is(http.StatusOK, nil)
	own, err := b.store.Permissions.Permissions(t.Context(), b.alice.user.ID)
	require.NoError(t, err)
	require.Equal(t, []chat.ToolRule{{Tool: "Shell", Pattern: "make", Rule: chat.RuleAllow}}, own)
	waits, err := b.store.Calls.Answered(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, ids, waits, "the answer counts although nobody works")
}

func (p *person) put(path string, body any) answer {
	p.t.Helper()
	return p.do(p, http.MethodPut, path, body)
}

func TestApprovals_OfQuestionsTakeAnswersThatFit(t *testing.T) {
	b := setup(t)
	key, ids := b.waiting()
	require.Empty(t, ids)
	_, err := b.store.Turns.FinishTurn(t.Context(), key, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	b.alice.say(key, "m2", "choose").is(http.StatusAccepted, nil)
	b.claim(key, "t2")
	step := chat.Step{Session: key, Turn: "t2"}
	_, _, _, err = b.store.Turns.BeginStep(t.Context(), step)
	require.NoError(t, err)
	id := chat.NewCallID("t2", 0, 0)
	asked := []chat.Inquiry{{Name: "q1", Text: "Which?", Options: []chat.InquiryOption{{Label: "a"}, {Label: "b"}}}}
	_, err = b.store.Turns.CommitStep(t.Context(), step, chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{chat.ToolCall{ID: id, Name: "AskUser", Class: chat.ClassRead, Asks: chat.Asks{Questions: asked}}.Ruled()}})
	require.NoError(t, err)
	_, err = b.store.Calls.Ask(t.Context(), id, chat.Request{})
	require.NoError(t, err)

	at := path(key, "/approvals/"+string(id))
	b.bob.post(at, map[string]any{"answers": chat.Answers{"q1": {"a"}}}).problem(http.StatusNotFound)
	b.alice.post(at, map[string]any{}).problem(http.StatusBadRequest)
	b.alice.post(at, map[string]any{"decision": "allow"}).problem(http.StatusBadRequest)
	b.alice.post(at, map[string]any{"decision": "deny", "answers": chat.Answers{"q1": {"a"}}}).problem(http.StatusBadRequest)
	detail := b.alice.post(at, map[string]any{"answers": chat.Answers{"q1": {"c"}}}).problem(http.StatusBadRequest)
	require.Contains(t, detail, `"c" is no answer to "Which?"`)
	detail = b.alice.post(at, map[string]any{"answers": chat.Answers{"q1": {"a", "b"}}}).problem(http.StatusBadRequest)
	require.Contains(t, detail, "takes one answer")
	var call chat.ToolCall
	b.alice.post(at, map[string]any{"answers": chat.Answers{"q1": {"b"}}}).is(http.StatusOK, &call)
	require.Equal(t, chat.Answers{"q1": {"b"}}, call.Approval.Answers)
	detail = b.alice.post(at, map[string]any{"answers": chat.Answers{"q1": {"a"}}}).problem(http.StatusConflict)
	require.Contains(t, detail, "by alice: b")
}

// callsOf are the calls of the last answer of a conversation.
func (b *bundle) callsOf(key chat.SessionKey) []chat.ToolCall {
	b.t.Helper()
	var got messages.Transcript
	b.alice.get(path(key, "/messages")).is(http.StatusOK, &got)
	for _, m := range slices.Backward(got.Messages) {
		if len(m.ToolCalls) > 0 {
			return m.ToolCalls
		}
	}
	return nil
}

// notices are what the server has said in a conversation.
func (b *bundle) notices(key chat.SessionKey) (said []string) {
	b.t.Helper()
	var got messages.Transcript
	b.alice.get(path(key, "/messages")).is(http.StatusOK, &got)
	for _, m := range got.Messages {
		if m.Role == chat.RoleNotice {
			said = append(said, m.Content)
		}
	}
	return said
}

func TestApprovals_AChangedCallIsWhatThePersonMadeOfItAndNothingElse(t *testing.T) {
	b := setup(t)
	key, ids := b.waiting("rm -rf build")
	at := path(key, "/approvals/"+string(ids[0]))
	changed := object{"decision": "allow", "arguments": object{"command": "rm -rf  build/old"}}
	b.bob.post(at, changed).problem(http.StatusNotFound)
	require.Equal(t, chat.ApprovalOpen, b.callsOf(key)[0].Approval.State)

	var call chat.ToolCall
	b.alice.post(at, changed).is(http.StatusOK, &call)
	require.JSONEq(t, `{"command":"rm -rf  build/old"}`, call.Arguments)
	require.Equal(t, "rm -rf build/old", call.Summary)
	require.Equal(t, "Shell", call.Name)
	require.Equal(t, chat.ClassExec, call.Class)
	require.JSONEq(t, `{"command":"rm -rf build"}`, call.Approval.Asked)
	require.Equal(t, chat.ApprovalAllowed, call.Approval.State)
	stored, err := b.store.Calls.Call(t.Context(), ids[0])
	require.NoError(t, err)
	require.Equal(t, call.Arguments, stored.Arguments, "what runs is what was permitted")
	b.alice.post(at, object{"decision": "allow", "arguments": object{"command": "ls"}}).problem(http.StatusConflict)
	require.Equal(t, call.Arguments, b.callsOf(key)[0].Arguments, "the first answer counts")
}

func TestApprovals_AChangeThatMayNotBeIsRefusedAndTheCallGoesOnToWait(t *testing.T) {
	b := setup(t)
	key, ids := b.waiting("rm -rf build")
	b.alice.put("/api/permissions/Shell", object{"rule": "deny", "pattern": "curl"}).is(http.StatusOK, nil)
	at := path(key, "/approvals/"+string(ids[0]))
	ls := object{"command": "ls"}
	for name, c := range map[string]struct {
		body   object
		status int
		says   string
	}{
		"a rule denies it":     {object{"decision": "allow", "arguments": object{"command": "curl x.example"}}, http.StatusForbidden, "rules deny this call of Shell as you changed it"},
		"a rule denies a part": {object{"decision": "allow", "arguments": object{"command": "ls && curl x.example"}}, http.StatusForbidden, "rules deny"},
		"a list":               {object{"decision": "allow", "arguments": []string{"ls"}}, http.StatusBadRequest, "JSON object"},
		"a text":               {object{"decision": "allow", "arguments": "ls"}, http.StatusBadRequest, "JSON object"},
		"nothing":              {object{"decision": "allow", "arguments": nil}, http.StatusBadRequest, "JSON object"},
		"too long":             {object{"decision": "allow", "arguments": object{"command": strings.Repeat("x", chat.MaxArguments)}}, http.StatusRequestEntityTooLarge, "more than 200000 bytes"},
		"denied":               {object{"decision": "deny", "arguments": ls}, http.StatusBadRequest, "go with allow"},
		"always":               {object{"decision": "allow", "always": true, "arguments": ls}, http.StatusBadRequest, "allowed once"},
	} {
		require.Contains(t, b.alice.post(at, c.body).problem(c.status), c.says, name)
	}
	call := b.callsOf(key)[0]
	require.Equal(t, chat.ApprovalOpen, call.Approval.State)
	require.JSONEq(t, `{"command":"rm -rf build"}`, call.Arguments)
	b.alice.do(b.alice, http.MethodPatch, path(key, ""), object{"preset": "read_only"}).is(http.StatusOK, nil)
	b.alice.post(at, object{"decision": "allow", "arguments": ls}).problem(http.StatusForbidden)
}

func TestApprovals_ACallThatHooksLookAtCannotBeChanged(t *testing.T) {
	b := setup(t)
	require.NoError(t, os.WriteFile(filepath.Join(b.home, "hooks.json"), []byte(`{"hooks":{"PreToolUse":[{"matcher":"Shell","hooks":[{"type":"callback","callback":"log"}]}]}}`), 0o600))
	key, ids := b.waiting("make")
	at := path(key, "/approvals/"+string(ids[0]))
	require.Contains(t, b.alice.post(at, object{"decision": "allow", "arguments": object{"command": "ls"}}).problem(http.StatusForbidden), "Hooks")
	var call chat.ToolCall
	b.alice.post(at, object{"decision": "allow", "arguments": object{"command": "make"}}).is(http.StatusOK, &call)
	require.Empty(t, call.Approval.Asked, "it is the same")
}

func TestApprovals_ThoseThatAskQuestionsCannotBeChanged(t *testing.T) {
	b := setup(t)
	key, _ := b.waiting()
	_, err := b.store.Turns.FinishTurn(t.Context(), key, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	b.alice.say(key, "m2", "choose").is(http.StatusAccepted, nil)
	b.claim(key, "t2")
	step := chat.Step{Session: key, Turn: "t2"}
	_, _, _, err = b.store.Turns.BeginStep(t.Context(), step)
	require.NoError(t, err)
	id := chat.NewCallID("t2", 0, 0)
	_, err = b.store.Turns.CommitStep(t.Context(), step, chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{chat.ToolCall{ID: id, Name: "AskUser", Class: chat.ClassRead, Asks: chat.Asks{Questions: []chat.Inquiry{{Name: "q1", Text: "Which?", Other: true}}}}.Ruled()}})
	require.NoError(t, err)
	_, err = b.store.Calls.Ask(t.Context(), id, chat.Request{})
	require.NoError(t, err)
	at := path(key, "/approvals/"+string(id))
	b.alice.post(at, object{"decision": "allow", "arguments": object{"questions": []string{}}}).problem(http.StatusBadRequest)
	b.alice.put(path(key, "/turns/t2/allowance"), object{}).is(http.StatusOK, nil)
	require.Equal(t, chat.ApprovalOpen, b.callsOf(key)[0].Approval.State, "nobody has answered it")
}

func TestApprovals_SeveralAreAnsweredAtOnceEachForItself(t *testing.T) {
	b := setup(t)
	key, ids := b.waiting("rm a", "rm b", "rm c")
	at := path(key, "/approvals")
	list := object{"answers": []object{
		{"call_id": ids[0], "decision": "allow"}, {"call_id": ids[1], "decision": "deny", "note": "keep b"},
		{"call_id": "t1.0.9", "decision": "allow"}, {"call_id": ids[2], "decision": "allow", "arguments": []int{1}},
	}}
	b.bob.post(at, list).problem(http.StatusNotFound)
	b.alice.post(at, object{"answers": []object{{"call_id": ids[0], "decision": "allow"}, {"call_id": ids[0], "decision": "deny"}}}).problem(http.StatusBadRequest)
	b.alice.post(at, object{"answers": []object{}}).problem(http.StatusUnprocessableEntity)
	require.Equal(t, chat.ApprovalOpen, b.callsOf(key)[0].Approval.State)
	var got messages.AnsweredBody
	b.alice.post(at, list).is(http.StatusOK, &got)
	require.Len(t, got.Results, 4)
	require.Equal(t, []int{200, 200, 404, 400}, []int{got.Results[0].Status, got.Results[1].Status, got.Results[2].Status, got.Results[3].Status})
	require.Contains(t, got.Results[2].Detail, "no call")
	calls := b.callsOf(key)
	require.Equal(t, calls[0].Approval, got.Results[0].Call.Approval)
	require.Equal(t, chat.ApprovalDenied, calls[1].Approval.State)
	require.Equal(t, "keep b", calls[1].Approval.Note)
	require.Equal(t, chat.ApprovalOpen, calls[2].Approval.State)
	b.alice.post(at, list).is(http.StatusOK, &got)
	require.Equal(t, http.StatusConflict, got.Results[0].Status, "the first answer counts")
}

func TestApprovals_CommandsAnswerAllThatWaitAndChangeTheOldest(t *testing.T) {
	b := setup(t)
	key, _ := b.waiting("rm a", "rm b", "rm c")
	b.alice.say(key, "c1", `/approve {"command":`).is(http.StatusAccepted, nil)
	require.Equal(t, chat.ApprovalOpen, b.callsOf(key)[0].Approval.State, "half an object allows nothing")
	b.alice.say(key, "c2", `/approve {"command":"ls a"}`).is(http.StatusAccepted, nil)
	b.alice.say(key, "c2", `/approve {"command":"ls a"}`).is(http.StatusAccepted, nil)
	require.Equal(t, chat.ApprovalOpen, b.callsOf(key)[1].Approval.State, "the same message is for the same call")
	b.alice.say(key, "c3", "/deny all").is(http.StatusAccepted, nil)
	b.alice.say(key, "c4", "/approve all").is(http.StatusAccepted, nil)
	calls := b.callsOf(key)
	require.JSONEq(t, `{"command":"ls a"}`, calls[0].Arguments)
	require.Equal(t, []chat.ApprovalState{chat.ApprovalAllowed, chat.ApprovalDenied, chat.ApprovalDenied}, []chat.ApprovalState{calls[0].Approval.State, calls[1].Approval.State, calls[2].Approval.State})
	require.Contains(t, b.notices(key)[0], "must be one JSON object")
	require.Equal(t, []string{"Allowed: Shell · `ls a`", "Denied: Shell · `rm b`\nDenied: Shell · `rm c`", "Nothing here waits for permission."}, b.notices(key)[1:])
}

func TestApprovals_ATurnIsAllowedByItsOwnerUntilTheyTakeItBackOrItEnds(t *testing.T) {
	b := setup(t)
	key, _ := b.waiting("rm a", "rm b")
	at := path(key, "/turns/t1/allowance")
	b.bob.put(at, nil).problem(http.StatusNotFound)
	b.alice.put(path(key, "/turns/t9/allowance"), nil).problem(http.StatusNotFound)
	require.Equal(t, chat.ApprovalOpen, b.callsOf(key)[0].Approval.State)

	var turn chat.Turn
	for range 2 {
		b.alice.put(at, nil).is(http.StatusOK, &turn)
		require.Equal(t, "alice", turn.Allows.By)
		require.Equal(t, 2, turn.Allows.Calls, "those that waited")
	}
	for _, call := range b.callsOf(key) {
		require.Equal(t, chat.ApprovalAllowed, call.Approval.State)
		require.Equal(t, "alice", call.Approval.AnsweredBy)
	}
	b.bob.do(b.bob, http.MethodDelete, at, nil).problem(http.StatusNotFound)
	turn = chat.Turn{}
	b.alice.do(b.alice, http.MethodDelete, at, nil).is(http.StatusOK, &turn)
	require.Nil(t, turn.Allows)
	b.alice.say(key, "c1", "/approve turn").is(http.StatusAccepted, nil)
	b.alice.say(key, "c2", "/deny turn").is(http.StatusAccepted, nil)
	require.Equal(t, []string{"Everything is allowed until this turn ends, except what rules deny. `/deny turn` takes that back.", "Calls of this turn ask again."}, b.notices(key))

	_, err := b.store.Turns.FinishTurn(t.Context(), key, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	b.alice.put(at, nil).problem(http.StatusConflict)
	b.alice.say(key, "c3", "/approve turn").is(http.StatusAccepted, nil)
	require.Equal(t, "No turn runs here, so there is nothing to allow.", b.notices(key)[2])
}
