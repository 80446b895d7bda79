package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/phrase"
	"xbot/internal/store"
)

const askWhich = `call AskUser {"questions":[{"question":"Which?","options":["a",{"label":"b","about":"better"}]}]}`

func (b *bundle) answerWith(n int, answers chat.Answers) {
	b.t.Helper()
	user, err := b.UserByName(b.t.Context(), "alice")
	require.NoError(b.t, err)
	_, err = b.Answer(b.t.Context(), store.Answer{
		Session: key, User: user.ID, UserName: user.Name, Call: chat.NewCallID(turn, 0, n), Allow: true, Answers: answers,
	})
	require.NoError(b.t, err)
}

func TestAskUser_AsksAndReturnsTheAnswers(t *testing.T) {
	b := setup(t, askWhich)
	out, err := b.generate(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, []activities.CallOutput{{Name: "AskUser", Class: chat.ClassRead, Summary: "Which?", Ask: true, Inquires: true}}, out.Calls)
	out, err = b.generate(t.Context(), 0)
	require.NoError(t, err)
	require.True(t, out.Calls[0].Inquires, "a repeated attempt decides the same")

	require.True(t, b.ask(0).Open)
	require.Equal(t, []chat.InquiryOption{{Label: "a"}, {Label: "b", About: "better"}}, b.result(0).Approval.Questions[0].Options)
	b.answerWith(0, chat.Answers{"q1": {"b"}})
	done, err := b.call(t.Context(), 0)
	require.NoError(t, err)
	require.False(t, done.Error)
	require.Equal(t, "b", b.result(0).Result)
}

func TestAskUser_TellsTheModelInWordsThatThereIsNoAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		before func(b *bundle)
		result string
	}{
		"declined with a note": {func(b *bundle) { b.ask(0); b.answer(0, false, "ask Bob.") }, "The user declined to answer: ask Bob. Do not ask"},
		"declined without one": {func(b *bundle) { b.ask(0); b.answer(0, false, "") }, "The user declined to answer. Do not ask"},
		"time is up": {func(b *bundle) {
			b.ask(0)
			require.NoError(b.t, b.run(b.t.Context(), activities.NameExpire, activities.ExpireInput{Call: chat.NewCallID(turn, 0, 0)}, nil))
		}, phrase.Say(phrase.English, phrase.InquiryLate)},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, askWhich)
			b.asks()
			c.before(b)
			out, err := b.call(t.Context(), 0)
			require.NoError(t, err)
			require.False(t, out.Error)
			require.Contains(t, b.result(0).Result, c.result)
		})
	}
}

func TestAskUser_WhatCannotBeAskedIsAResultAtOnce(t *testing.T) {
	b := setup(t, "each", `call AskUser {"questions":[]}`, `call AskUser {"questions":"what?"}`)
	b.asks()
	require.False(t, b.ask(0).Open, "nobody is asked")
	out, err := b.call(t.Context(), 0)
	require.NoError(t, err)
	require.True(t, out.Error)
	require.Contains(t, b.result(0).Result, "questions must hold 1 to 4 questions, not 0")
}

func TestAskUser_IsDeniedByARule(t *testing.T) {
	b := setup(t, askWhich)
	b.rules(map[string]chat.Rule{"AskUser": chat.RuleDeny})
	b.asks()
	require.False(t, b.ask(0).Open)
	_, err := b.call(t.Context(), 0)
	require.NoError(t, err)
	require.Contains(t, b.result(0).Result, "settings deny every call of AskUser")
}
