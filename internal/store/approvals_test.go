package store_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	callsrows "xbot/internal/turn/calls"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
	"xbot/internal/user/settings"
	"xbot/internal/user/users"
)

// asks opens a turn whose first step calls Shell twice, with the given default rule, and returns the calls' ids.
func (b *bundle) asks(turn chat.TurnID, rule chat.Rule) (first, second chat.CallID) {
	b.t.Helper()
	b.send("ask "+string(turn), "do it")
	b.claim(turn)
	answer := twoCalls(turn)
	answer.Calls[0].Rule, answer.Calls[1].Rule = rule, rule
	answer.Calls[0].Always = []chat.ToolRule{{Tool: "Shell", Pattern: "make", Rule: chat.RuleAllow}, {Tool: "Shell", Pattern: "ls", Rule: chat.RuleAllow}}
	_, err := b.Turns.CommitStep(b.t.Context(), b.begin(turn, 0), answer)
	require.NoError(b.t, err)
	return answer.Calls[0].ID, answer.Calls[1].ID
}

func (b *bundle) ask(id chat.CallID, reason string) *chat.Approval {
	b.t.Helper()
	call, err := b.Calls.Ask(b.t.Context(), id, chat.Request{Reason: reason})
	require.NoError(b.t, err)
	return call.Approval
}

func (b *bundle) answer(call chat.CallID, allow bool) callsrows.Answer {
	return callsrows.Answer{Session: key, User: b.user.ID, UserName: b.user.Name, Call: call, Allow: allow}
}

func (b *bundle) approval(id chat.CallID) *chat.Approval {
	b.t.Helper()
	call, err := b.Calls.Call(b.t.Context(), id)
	require.NoError(b.t, err)
	return call.Approval
}

func TestCommitStep_FixesTheRuleOfACall(t *testing.T) {
	b := setup(t)
	first, _ := b.asks("t1", chat.RuleAsk)
	require.NoError(t, b.Permissions.SetPermission(t.Context(), b.user.ID, chat.ToolRule{Tool: "Shell", Rule: chat.RuleAllow}))
	call, err := b.Calls.Call(t.Context(), first)
	require.NoError(t, err)
	require.Equal(t, chat.RuleAsk, call.Rule, "as it was when the call was committed")

	stored, again, done, err := b.Turns.BeginStep(t.Context(), chat.Step{Session: key, Turn: "t1"})
	require.NoError(t, err)
	require.Zero(t, stored)
	require.True(t, done)
	require.Equal(t, chat.RuleAsk, again.Calls[0].Rule, "a repeated attempt decides the same")
}

func TestBeginCall_NeedsThePermission(t *testing.T) {
	b := setup(t)
	first, second := b.asks("t1", chat.RuleAsk)
	begin := func(id chat.CallID) bool {
		call, err := b.Calls.Call(t.Context(), id)
		require.NoError(t, err)
		began, err := b.Calls.BeginCall(t.Context(), call)
		require.NoError(t, err)
		return began
	}
	require.False(t, begin(first), "nobody was asked")
	b.ask(first, "")
	b.ask(second, "")
	require.False(t, begin(first), "nobody answered")
	_, err := b.Calls.Answer(t.Context(), b.answer(first, true))
	require.NoError(t, err)
	_, err = b.Calls.Answer(t.Context(), b.answer(second, false))
	require.NoError(t, err)
	require.True(t, begin(first))
	require.False(t, begin(second), "denied")
}

func TestAsk_OpensOneQuestionWithTheReason(t *testing.T) {
	b := setup(t)
	first, second := b.asks("t1", chat.RuleAsk)
	_, err := b.pool.Exec(t.Context(), `UPDATE messages SET content = $1 WHERE role = 'assistant'`, "That is a lot.\n\nI will do it\nnow:\n \nlet me look\nand see ")
	require.NoError(t, err)
	before := len(b.events(0))
	require.Equal(t, "to look", b.ask(first, "to look").Reason)
	asked := b.ask(first, "another reason")
	require.Equal(t, "to look", asked.Reason)
	require.Equal(t, chat.ApprovalOpen, asked.State)
	require.Len(t, b.events(0), before+1, "one event, however often the turn asks")
	require.Equal(t, "let me look\nand see", b.ask(second, "").Reason, "what the model wrote just before its calls")
	calls := b.transcript().Messages[1].ToolCalls
	require.Equal(t, asked, calls[0].Approval, "snapshots carry the question")
	session, _, err := b.Conversations.Session(t.Context(), key)
	require.NoError(t, err)
	require.True(t, session.Waiting, "and so does the list of sessions")
	b.finish("t1", chat.TurnStopped)
	session, _, err = b.Conversations.Session(t.Context(), key)
	require.NoError(t, err)
	require.False(t, session.Waiting)
}

func TestAsk_LeavesAloneWhatNeedsNoPermission(t *testing.T) {
	b := setup(t)
	first, _ := b.asks("t1", chat.RuleAllow)
	require.Nil(t, b.ask(first, "why"))
}

func TestAnswer_TheFirstOfManyCounts(t *testing.T) {
	b := setup(t)
	first, _ := b.asks("t1", chat.RuleAsk)
	b.ask(first, "")
	before := len(b.events(0))
	var wg sync.WaitGroup
	var counted atomic.Int64
	for i := range 20 {
		wg.Go(func() {
			_, err := b.Calls.Answer(t.Context(), b.answer(first, i%2 == 0))
			if err == nil {
				counted.Add(1)
			} else if fault.KindOf(err) != fault.Conflict {
				t.Errorf("a late answer is a conflict, not %v", err)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, counted.Load())
	require.Len(t, b.events(0), before+1)
	_, err := b.Calls.Answer(t.Context(), b.answer(first, true))
	require.ErrorContains(t, err, "answered before: "+string(b.approval(first).State)+" by admin")
}

func TestAnswer_OfAStrangerFindsNothing(t *testing.T) {
	b := setup(t)
	first, _ := b.asks("t1", chat.RuleAsk)
	b.ask(first, "")
	stranger, err := b.Users.CreateUser(t.Context(), "stranger", users.RoleMember)
	require.NoError(t, err)
	for what, change := range map[string]func(*callsrows.Answer){
		"another user":    func(a *callsrows.Answer) { a.User = stranger.ID },
		"another session": func(a *callsrows.Answer) { a.Session = "agent:main:web:thread:other" },
		"no such call":    func(a *callsrows.Answer) { a.Call = "t1.0.9" },
	} {
		a := b.answer(first, true)
		change(&a)
		_, err := b.Calls.Answer(t.Context(), a)
		require.Equal(t, fault.NotFound, fault.KindOf(err), what)
	}
	require.Equal(t, chat.ApprovalOpen, b.approval(first).State)
}

func TestAnswer_AlwaysSetsTheRulesOfTheCall(t *testing.T) {
	b := setup(t)
	first, second := b.asks("t1", chat.RuleAsk)
	asked := b.ask(first, "")
	require.Len(t, asked.Always, 2)
	a := b.answer(first, true)
	a.Always, a.Note = true, "go on"
	call, err := b.Calls.Answer(t.Context(), a)
	require.NoError(t, err)
	require.Equal(t, "go on", call.Approval.Note)
	require.Equal(t, "admin", call.Approval.AnsweredBy)
	rules, err := b.Permissions.Permissions(t.Context(), b.user.ID)
	require.NoError(t, err)
	require.ElementsMatch(t, asked.Always, rules)
	other, err := b.Calls.Call(t.Context(), second)
	require.NoError(t, err)
	require.Equal(t, chat.RuleAsk, other.Rule, "a call that exists keeps its rule")
}

func TestAnswer_AlwaysIsRefusedWhereNoRuleFits(t *testing.T) {
	b := setup(t)
	_, second := b.asks("t1", chat.RuleAsk)
	require.Empty(t, b.ask(second, "").Always)
	a := b.answer(second, true)
	a.Always = true
	_, err := b.Calls.Answer(t.Context(), a)
	require.ErrorContains(t, err, "No rule fits this call")
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.Equal(t, chat.ApprovalOpen, b.approval(second).State, "the question stays")
	_, err = b.pool.Exec(t.Context(), `UPDATE tool_calls SET always = NULL WHERE id = $1`, second)
	require.NoError(t, err)
	_, err = b.Calls.Answer(t.Context(), a)
	require.NoError(t, err)
	rules, err := b.Permissions.Permissions(t.Context(), b.user.ID)
	require.NoError(t, err)
	require.Equal(t, []chat.ToolRule{{Tool: "Shell", Rule: chat.RuleAllow}}, rules, "a call from before there were such rules allows its tool")
}

func TestAnswer_AlwaysIsRefusedWhereThereAreAsManyRulesAsAreKept(t *testing.T) {
	b := setup(t)
	first, _ := b.asks("t1", chat.RuleAsk)
	b.ask(first, "")
	_, err := b.pool.Exec(t.Context(), `INSERT INTO tool_permissions (user_id, tool, pattern, rule) SELECT $1, 'Shell', 'x' || n, 'allow' FROM generate_series(1, $2::int) n`, b.user.ID, chat.MaxToolRules)
	require.NoError(t, err)
	a := b.answer(first, true)
	a.Always = true
	_, err = b.Calls.Answer(t.Context(), a)
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.Equal(t, chat.ApprovalOpen, b.approval(first).State, "the question stays")
	require.Equal(t, fault.Conflict, fault.KindOf(b.Permissions.SetPermission(t.Context(), b.user.ID, chat.ToolRule{Tool: "Shell", Pattern: "more", Rule: chat.RuleAllow})))
}

func TestPermits_AreThoseOfTheConversationAboveAndOfThePerson(t *testing.T) {
	b := setup(t)
	permits := func(key chat.SessionKey) chat.UserPermissions {
		got, err := b.Permissions.UserPermissions(t.Context(), key)
		require.NoError(t, err)
		return got
	}
	other, err := b.Users.CreateUser(t.Context(), "other", users.RoleMember)
	require.NoError(t, err)
	require.NoError(t, b.Permissions.SetPermission(t.Context(), other.ID, chat.ToolRule{Tool: "Shell", Rule: chat.RuleAllow}))
	at := chat.Location{Channel: "web", ChatType: chat.ChatDirect}
	require.Equal(t, chat.UserPermissions{Admin: true, Rules: []chat.ToolRule{}, At: at}, permits(key), "the rule of somebody else does not count")
	require.NoError(t, b.Settings.SetUserSetting(t.Context(), b.user.ID, settings.Preset, "ask"))
	require.NoError(t, b.Conversations.Override(t.Context(), key, conversation.Overrides{Preset: new("read_only")}))
	require.NoError(t, b.Permissions.SetPermission(t.Context(), b.user.ID, chat.ToolRule{Tool: "Shell", Pattern: "ls", Rule: chat.RuleAllow}))
	require.NoError(t, b.Permissions.SetPermission(t.Context(), b.user.ID, chat.ToolRule{Tool: "Shell", Pattern: "ls", Rule: chat.RuleDeny}))
	want := chat.UserPermissions{At: at, Admin: true, Here: chat.PresetReadOnly, Own: chat.PresetAsk, Rules: []chat.ToolRule{{Tool: "Shell", Pattern: "ls", Rule: chat.RuleDeny}}}
	require.Equal(t, want, permits(key))
	_, err = b.pool.Exec(t.Context(), `INSERT INTO sessions (key, user_id, channel, root, preset) SELECT 'below', user_id, channel, key, 'auto' FROM sessions WHERE key = $1`, key)
	require.NoError(t, err)
	require.Equal(t, want, permits("below"), "a subagent has those of the person's conversation")
	require.NoError(t, b.Permissions.RemovePermission(t.Context(), b.user.ID, "Shell", "ls"))
	require.Equal(t, fault.NotFound, fault.KindOf(b.Permissions.RemovePermission(t.Context(), b.user.ID, "Shell", "ls")))
	require.Equal(t, chat.UserPermissions{}, permits("gone"))

	_, err = b.pool.Exec(t.Context(), `UPDATE sessions SET cwd = '/work', cwd_runner = 'laptop' WHERE key = $1`, key)
	require.NoError(t, err)
	require.Equal(t, "/work", permits(key).Cwd)
	require.NoError(t, b.Settings.SetUserSetting(t.Context(), b.user.ID, settings.ActiveRunner, "other"))
	require.Empty(t, permits(key).Cwd, "the folder is one of another runner")
}

func TestAnswer_ToTheEndOfATurnComesTooLate(t *testing.T) {
	b := setup(t)
	first, second := b.asks("t1", chat.RuleAsk)
	b.ask(first, "")
	b.finish("t1", chat.TurnStopped)
	require.Equal(t, chat.ApprovalVoid, b.approval(first).State)
	_, err := b.Calls.Answer(t.Context(), b.answer(first, true))
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	require.ErrorContains(t, err, "the turn that asked has ended")
	_, err = b.Calls.Answer(t.Context(), b.answer(second, true))
	require.ErrorContains(t, err, "did not ask")
	calls := b.transcript().Messages[1].ToolCalls
	require.Equal(t, i18n.Say(i18n.English, i18n.CallNotRun), calls[0].Result)
}

func TestAnswer_WithoutACallIsForTheOldestQuestionAndOnceAMessage(t *testing.T) {
	b := setup(t)
	first, second := b.asks("t1", chat.RuleAsk)
	b.ask(second, "")
	b.ask(first, "")
	a := b.answer("", true)
	a.Key = "web//m1"
	got, err := b.Calls.Answer(t.Context(), a)
	require.NoError(t, err)
	require.Equal(t, second, got.ID, "the one that has waited longest")
	again, err := b.Calls.Answer(t.Context(), a)
	require.NoError(t, err)
	require.Equal(t, got, again)
	require.Equal(t, chat.ApprovalOpen, b.approval(first).State, "the same message must not answer another question")
	a.Key = "web//m2"
	got, err = b.Calls.Answer(t.Context(), a)
	require.NoError(t, err)
	require.Equal(t, first, got.ID)
	a.Key = "web//m3"
	_, err = b.Calls.Answer(t.Context(), a)
	require.Equal(t, fault.Conflict, fault.KindOf(err), "nothing is left to answer")
}

func TestExpire_DeniesUnlessAnAnswerCame(t *testing.T) {
	b := setup(t)
	first, second := b.asks("t1", chat.RuleAsk)
	b.ask(first, "")
	b.ask(second, "")
	_, err := b.Calls.Answer(t.Context(), b.answer(second, true))
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, b.Calls.Expire(t.Context(), first))
		require.NoError(t, b.Calls.Expire(t.Context(), second))
	}
	require.Equal(t, chat.ApprovalDenied, b.approval(first).State)
	require.Equal(t, chat.AnsweredByNobody, b.approval(first).AnsweredBy)
	require.Equal(t, i18n.Say(i18n.English, i18n.Unanswered), b.approval(first).Note)
	require.Equal(t, chat.ApprovalAllowed, b.approval(second).State)
}

func TestAnswered_UntilTheTurnActsOnIt(t *testing.T) {
	b := setup(t)
	first, second := b.asks("t1", chat.RuleAsk)
	b.ask(first, "")
	b.ask(second, "")
	for _, id := range []chat.CallID{first, second} {
		_, err := b.Calls.Answer(t.Context(), b.answer(id, id == first))
		require.NoError(t, err)
	}
	answered := func() []chat.CallID {
		ids, err := b.Calls.Answered(t.Context(), "t1")
		require.NoError(t, err)
		return ids
	}
	require.Equal(t, []chat.CallID{first, second}, answered())
	call, err := b.Calls.Call(t.Context(), first)
	require.NoError(t, err)
	began, err := b.Calls.BeginCall(t.Context(), call)
	require.NoError(t, err)
	require.True(t, began)
	require.Equal(t, []chat.CallID{second}, answered())
	require.NoError(t, b.Calls.FinishCall(t.Context(), second, chat.ToolResult{Content: "denied", IsError: true}))
	require.Empty(t, answered())
}

func TestToWake_RepeatsTheWakeOfAnAnswerThatTheTurnHasNotSeen(t *testing.T) {
	b := setup(t)
	first, _ := b.asks("t1", chat.RuleAsk)
	b.ask(first, "")
	_, err := b.Calls.Answer(t.Context(), b.answer(first, true))
	require.NoError(t, err)
	due := func() int {
		rows, err := b.ToWake(t.Context())
		require.NoError(t, err)
		for _, r := range rows {
			require.Equal(t, engine.Waiting{Session: key, User: b.user.ID, Channel: "web"}, r)
		}
		return len(rows)
	}
	later := func(seconds int) {
		_, err := b.pool.Exec(t.Context(), `UPDATE tool_calls SET answered_at = answered_at - make_interval(secs => $1), answer_woken_at = answer_woken_at - make_interval(secs => $1)`, seconds)
		require.NoError(t, err)
	}
	require.Zero(t, due(), "its own wake is on the way")
	later(3)
	require.Equal(t, 1, due())
	require.Zero(t, due(), "at most once a back-off")
	later(2)
	require.Zero(t, due(), "the pause grows")
	later(2)
	require.Equal(t, 1, due())
	later(3600)
	b.finish("t1", chat.TurnDone)
	require.Zero(t, due(), "a turn that has ended is not woken")
}

func TestSettleTurn_LeavesNoQuestionOpen(t *testing.T) {
	b := setup(t)
	first, second := b.asks("t1", chat.RuleAsk)
	b.ask(first, "")
	b.ask(second, "")
	_, err := b.Calls.Answer(t.Context(), b.answer(second, true))
	require.NoError(t, err)
	settled, err := b.Turns.SettleTurn(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, engine.SettledLost, settled)
	require.Equal(t, chat.ApprovalVoid, b.approval(first).State)
	require.Equal(t, chat.ApprovalAllowed, b.approval(second).State, "what a person said stays")
	for _, c := range b.transcript().Messages[1].ToolCalls {
		require.Equal(t, i18n.Say(i18n.English, i18n.CallNotRun), c.Result, "neither had started")
	}
	require.Equal(t, i18n.Say(i18n.English, i18n.QuestionGone), b.lastWords(), "nothing ran")
}

func TestSettleTurn_WhereACallRanTheQuestionBesideItIsNotTheWholeStory(t *testing.T) {
	b := setup(t)
	first, second := b.asks("t1", chat.RuleAsk)
	b.ask(first, "")
	b.ask(second, "")
	_, err := b.Calls.Answer(t.Context(), b.answer(first, true))
	require.NoError(t, err)
	call, err := b.Calls.Call(t.Context(), first)
	require.NoError(t, err)
	_, err = b.Calls.BeginCall(t.Context(), call)
	require.NoError(t, err)
	_, err = b.Turns.SettleTurn(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, i18n.Say(i18n.English, i18n.Gone), b.lastWords())
}

func TestSettleTurn_AQuestionOfTheModelThatNobodyCanAnswerAnyMoreIsSaidSo(t *testing.T) {
	b := setup(t)
	b.inquires("t1")
	settled, err := b.Turns.SettleTurn(t.Context(), "t1")
	require.NoError(t, err)
	require.Equal(t, engine.SettledLost, settled)
	require.Equal(t, i18n.Say(i18n.English, i18n.QuestionGone), b.lastWords())
}

// lastWords are those of the newest message.
func (b *bundle) lastWords() string {
	messages := b.transcript().Messages
	return messages[len(messages)-1].Content
}
