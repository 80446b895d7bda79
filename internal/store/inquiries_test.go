package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/calls"
	"xbot/internal/turn/engine"
	"xbot/internal/user/users"
)

var choices = []chat.Inquiry{{Name: "q1", Text: "Which?", Options: []chat.InquiryOption{{Label: "a"}, {Label: "b", About: "better"}}}}

// inquires opens a turn whose first step asks the person, and returns the open call.
func (b *bundle) inquires(turn chat.TurnID) chat.CallID {
	b.t.Helper()
	return b.inquiresAs(turn, chat.RuleAllow)
}

func (b *bundle) inquiresAs(turn chat.TurnID, rule chat.Rule) chat.CallID {
	b.t.Helper()
	b.send("ask "+string(turn), "do it")
	b.claim(turn)
	call := chat.ToolCall{ID: chat.NewCallID(turn, 0, 0), Name: "AskUser", Class: chat.ClassRead, Rule: rule, Asks: chat.Asks{Questions: choices}}.Ruled()
	_, err := b.Turns.CommitStep(b.t.Context(), b.begin(turn, 0), chat.Answer{Finish: "tool_calls", Calls: []chat.ToolCall{call}})
	require.NoError(b.t, err)
	b.ask(call.ID, "")
	return call.ID
}

func (b *bundle) inWords(id, text string) engine.NewRow {
	return engine.NewRow{Session: key, User: b.user.ID, Channel: "web", PlatformID: id, Text: text}
}

func TestInquiry_IsAskedWhateverIsAllowedAndNotWhereItIsDenied(t *testing.T) {
	b := setup(t)
	id := b.inquires("t1")
	require.Equal(t, chat.ApprovalOpen, b.approval(id).State, "a rule that allows does not answer")
	require.Equal(t, choices, b.approval(id).Questions)
	require.Equal(t, choices, b.transcript().Messages[1].ToolCalls[0].Approval.Questions, "snapshots carry the questions")
	b.finish("t1", chat.TurnDone)

	id = b.inquiresAs("t2", chat.RuleDeny)
	require.Nil(t, b.approval(id))
	call, err := b.Calls.Call(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, chat.RuleDeny, call.Rule)
}

func TestInquiry_TakesTheFirstAnswersThatFit(t *testing.T) {
	b := setup(t)
	id := b.inquires("t1")
	with := func(answers chat.Answers) calls.Answer {
		a := b.answer(id, true)
		a.Answers = answers
		return a
	}
	for _, c := range []struct {
		a    calls.Answer
		says string
	}{
		{b.answer(id, true), "needs an answer, not a permission"},
		{with(chat.Answers{"q1": {"c"}}), "is no answer"},
		{with(chat.Answers{"q2": {"a"}}), "no question"},
		{calls.Answer{Session: key, User: b.user.ID, Key: "k", Allow: true}, "needs an answer, not a permission"},
	} {
		_, err := b.Calls.Answer(t.Context(), c.a)
		require.True(t, fault.Is(err, fault.Invalid), "%v", err)
		require.ErrorContains(t, err, c.says)
	}
	always := with(chat.Answers{"q1": {"a"}})
	always.Always = true
	_, err := b.Calls.Answer(t.Context(), always)
	require.ErrorContains(t, err, "answered with always")

	got, err := b.Calls.Answer(t.Context(), with(chat.Answers{"q1": {"B"}}))
	require.NoError(t, err)
	require.Equal(t, chat.Answers{"q1": {"b"}}, got.Approval.Answers)
	_, err = b.Calls.Answer(t.Context(), with(chat.Answers{"q1": {"a"}}))
	require.True(t, fault.Is(err, fault.Conflict))
	require.ErrorContains(t, err, "answered before, by admin: b")
	require.Equal(t, chat.Answers{"q1": {"b"}}, b.approval(id).Answers)

	first, _ := b.closeAndAsk("t1", "t2")
	a := b.answer(first, true)
	a.Answers = chat.Answers{"q1": {"a"}}
	_, err = b.Calls.Answer(t.Context(), a)
	require.ErrorContains(t, err, "asks for permission")
}

// closeAndAsk ends a turn and opens the questions of another one that asks for permission.
func (b *bundle) closeAndAsk(old, turn chat.TurnID) (first, second chat.CallID) {
	b.t.Helper()
	b.finish(old, chat.TurnDone)
	first, second = b.asks(turn, chat.RuleAsk)
	b.ask(first, "")
	return first, second
}

func TestInquiry_OfATurnThatEndsIsNoFailure(t *testing.T) {
	b := setup(t)
	id := b.inquires("t1")
	b.finish("t1", chat.TurnStopped)
	call, err := b.Calls.Call(t.Context(), id)
	require.NoError(t, err)
	require.False(t, call.IsError)
	require.Equal(t, i18n.Say(i18n.English, i18n.InquiryStopped), call.Result)
	require.Equal(t, chat.ApprovalVoid, call.Approval.State)
	_, open, err := b.Turns.OpenQuestion(t.Context(), key, b.user.ID)
	require.NoError(t, err)
	require.False(t, open)
}

func TestAnswerInWords_IsOneTransactionAndOneAnswer(t *testing.T) {
	b := setup(t)
	id := b.inquires("t1")
	call, open, err := b.Turns.OpenQuestion(t.Context(), key, b.user.ID)
	require.NoError(t, err)
	require.True(t, open)
	require.Equal(t, id, call.ID)
	none, err := b.Turns.AnswerInWords(t.Context(), b.inWords("m1", "c"), calls.Answer{}, "no such option")
	require.NoError(t, err)
	require.True(t, none.Answer)
	require.Equal(t, chat.ApprovalOpen, b.approval(id).State)

	a := b.answer(id, true)
	a.Answers = chat.Answers{"q1": {"a"}}
	got, err := b.Turns.AnswerInWords(t.Context(), b.inWords("m2", "1"), a, "Answered: a")
	require.NoError(t, err)
	require.False(t, got.Duplicate)
	messages := len(b.transcript().Messages)
	again, err := b.Turns.AnswerInWords(t.Context(), b.inWords("m2", "1"), a, "Answered: a")
	require.NoError(t, err)
	require.True(t, again.Duplicate)
	require.Equal(t, got.ID, again.ID)
	again, err = b.Turns.Accept(t.Context(), b.inWords("m2", "1"))
	require.NoError(t, err, "delivered again after the question was closed")
	require.True(t, again.Duplicate)
	_, err = b.Turns.AnswerInWords(t.Context(), b.inWords("m3", "2"), a, "Answered: b")
	require.True(t, engine.NotOpen(err), "%v", err)
	require.Len(t, b.transcript().Messages, messages, "what counts no more leaves nothing")
	pending, err := b.Turns.FinishTurn(t.Context(), key, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	require.False(t, pending, "an answer is no message for a turn")
	said, err := b.Turns.CommandAnswer(t.Context(), got.ID)
	require.NoError(t, err)
	require.Equal(t, "Answered: a", said)
}

func TestInquiry_OfAGroupIsAlsoAnsweredByWhoTheTurnAnswers(t *testing.T) {
	b := setup(t)
	id := b.inquires("t1")
	asker, err := b.Users.CreateUser(t.Context(), "asker", users.RoleMember)
	require.NoError(t, err)
	stranger, err := b.Users.CreateUser(t.Context(), "stranger", users.RoleMember)
	require.NoError(t, err)
	_, err = b.Users.CreateUser(t.Context(), "group", users.RoleMember)
	require.NoError(t, err)
	for _, change := range []string{
		`UPDATE users SET kind = 'group' WHERE name = 'group'`,
		`UPDATE sessions SET user_id = (SELECT id FROM users WHERE name = 'group')`,
		`UPDATE inbox SET user_id = (SELECT id FROM users WHERE name = 'asker')`,
	} {
		_, err := b.pool.Exec(t.Context(), change)
		require.NoError(t, err)
	}
	for user, may := range map[chat.UserID]bool{stranger.ID: false, asker.ID: true} {
		_, open, err := b.Turns.OpenQuestion(t.Context(), key, user)
		require.NoError(t, err)
		require.Equal(t, may, open)
	}
	a := calls.Answer{Session: key, User: stranger.ID, Call: id, Allow: true, Answers: chat.Answers{"q1": {"no such option"}}}
	_, err = b.Calls.Answer(t.Context(), a)
	require.True(t, fault.Is(err, fault.NotFound), "a stranger learns nothing of the question")
	a.User, a.UserName, a.Answers = asker.ID, "asker", chat.Answers{"q1": {"a"}}
	_, err = b.Calls.Answer(t.Context(), a)
	require.NoError(t, err)
}
