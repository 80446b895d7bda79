package question_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/card"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/question"
)

func lunch(t *testing.T, more ...card.Element) card.Card {
	t.Helper()
	c, err := card.Check(card.Card{Title: "Lunch", Elements: append([]card.Element{
		{Kind: card.Markdown, Text: "Where to?"},
		{Kind: card.Form, Name: "lunch"},
		{Kind: card.MultiSelect, In: "lunch", Name: "places", Text: "Places", Options: []string{"Noodles", "Rice"}, Required: true},
		{Kind: card.Input, In: "lunch", Name: "why", Text: "Why"},
		{Kind: card.Button, In: "lunch", Text: "Go"},
	}, more...)})
	require.NoError(t, err)
	return c
}

func TestOfCard_AsksTheFieldsAndWhichButton(t *testing.T) {
	t.Parallel()
	made := lunch(t)
	asks, err := question.OfCard(made)
	require.NoError(t, err)
	require.Equal(t, &made, question.CardOf(asks))
	require.Equal(t, "**Lunch**\n\nWhere to?", asks[0].Above)

	got, err := question.Fit(asks, chat.Answers{"places": {"rice"}, "why": {}, card.Action: {}})
	require.NoError(t, err)
	require.Equal(t, chat.Answers{"places": {"Rice"}, card.Action: {"Go"}}, got, "one button is meant where none is named")
	_, err = question.Fit(asks, chat.Answers{"why": {"x"}})
	require.True(t, fault.Is(err, fault.Invalid), "a required field")

	typed, err := question.Read(asks, "1, rice\n-")
	require.NoError(t, err)
	require.Equal(t, chat.Answers{"places": {"Noodles", "Rice"}, card.Action: {"Go"}}, typed)
	require.Contains(t, question.Show(i18n.English, asks), "**Lunch**\n\nWhere to?\n\n1. Places\n   1) Noodles\n")
	require.NotContains(t, question.Show(i18n.English, asks), "button")

	result, err := question.CardResult(asks, typed, "Ann")
	require.NoError(t, err)
	require.JSONEq(t, `{"action":"Go","values":{"places":["Noodles","Rice"]},"by":"Ann"}`, result)
}

func TestOfCard_AButtonBesideTheFormAnswersWithoutIt(t *testing.T) {
	t.Parallel()
	asks, err := question.OfCard(lunch(t, card.Element{Kind: card.Button, Text: "Not today"}))
	require.NoError(t, err)
	got, err := question.Fit(asks, chat.Answers{card.Action: {"Not today"}})
	require.NoError(t, err)
	require.Equal(t, "Not today", question.Summary(asks, got))
	_, err = question.Fit(asks, chat.Answers{"places": {"Rice"}})
	require.True(t, fault.Is(err, fault.Invalid), "which button is not known")
	_, err = question.Fit(asks, chat.Answers{card.Action: {"Pay"}})
	require.True(t, fault.Is(err, fault.Invalid), "there is no such button")
	typed, err := question.Read(asks, "-\n-\n2")
	require.NoError(t, err)
	require.Equal(t, chat.Answers{card.Action: {"Not today"}}, typed)
	_, err = question.OfCard(card.Card{Title: "t", Elements: []card.Element{{Kind: card.Divider}}})
	require.ErrorContains(t, err, "without wait_response")
}

func TestOfCard_ABoxIsTickedOrNotAndPersonsAreNamed(t *testing.T) {
	t.Parallel()
	asks, err := question.OfCard(lunch(t,
		card.Element{Kind: card.Checker, In: "lunch", Name: "sure", Text: "I am sure", Required: true},
		card.Element{Kind: card.PickPeople, In: "lunch", Name: "who", Text: "Who"}))
	require.NoError(t, err)
	for given, ticked := range map[string]bool{"true": true, "i am sure": true} {
		got, err := question.Fit(asks, chat.Answers{"places": {"Rice"}, "sure": {given}, "who": {"Ann", "Bob"}})
		require.NoError(t, err)
		result, err := question.CardResult(asks, got, "Ann")
		require.NoError(t, err)
		require.Equal(t, ticked, result == `{"action":"Go","values":{"places":["Rice"],"sure":true,"who":["Ann","Bob"]},"by":"Ann"}`, result)
	}
	_, err = question.Fit(asks, chat.Answers{"places": {"Rice"}, "sure": {"false"}})
	require.True(t, fault.Is(err, fault.Invalid), "a box that has to be ticked")
	asks[2].Optional = true
	got, err := question.Fit(asks, chat.Answers{"places": {"Rice"}, "sure": {"false"}})
	require.NoError(t, err)
	result, err := question.CardResult(asks, got, "")
	require.NoError(t, err)
	require.JSONEq(t, `{"action":"Go","values":{"places":["Rice"],"sure":false}}`, result)
}
