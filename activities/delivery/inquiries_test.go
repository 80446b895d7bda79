package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/card"
	"xbot/internal/chat"
	"xbot/internal/turn/question"
)

// asksForm is a call with questions of the model.
func asksForm(kind chat.OutboundKind, questions ...chat.Inquiry) *post {
	p := asking(kind, chat.ApprovalOpen)
	p.o.Asked.Call.Name, p.o.Asked.Call.Approval.Questions = "AskUser", questions
	return p
}

var (
	colour = chat.Inquiry{Name: "q1", Text: "Which colour?", Options: []chat.InquiryOption{{Label: "red", About: "like *fire*"}, {Label: "blue"}}, Other: true}
	why    = chat.Inquiry{Name: "q2", Text: "Why?", Other: true}
)

func TestSend_AsksTheModelsQuestionsByAForm(t *testing.T) {
	p := asksForm(chat.OutboundQuestion, colour, why)
	require.NoError(t, p.sendBy(t, 1, &fakePlatform{post: p}))
	card := p.got[0].Card
	require.Equal(t, []channel.Field{
		{Name: "q1", Label: "Which colour?", Options: []string{"red", "blue"}, Other: true}, {Name: "q2", Label: "Why?"},
	}, card.Fields)
	require.Equal(t, "> to begin anew\n\n- **red**: like *fire*", card.Text)
	require.Equal(t, chat.PressSend, card.Buttons[0].Name)
	require.Equal(t, chat.PressDeny, card.Buttons[1].Name)
}

func TestSend_AsksTheModelsQuestionsInWordsWhereOneButtonCannotAnswerThem(t *testing.T) {
	p := asksForm(chat.OutboundQuestion, colour, why)
	p.traits.Buttons = true
	require.NoError(t, p.send(t, 1))
	require.Nil(t, p.got[0].Card)
	for _, part := range []string{"Which colour?", "1) red", "2) blue", "Why?", "/deny"} {
		require.Contains(t, p.got[0].Text, part)
	}

	p = asksForm(chat.OutboundQuestion, colour)
	p.traits.Buttons = true
	require.NoError(t, p.send(t, 1))
	require.Len(t, p.got[0].Card.Fields, 1)
}

func TestSend_SettlesAFormWithItsAnswers(t *testing.T) {
	p := asksForm(chat.OutboundSettled, colour, why)
	p.o.Asked.Sent = "om_1"
	a := p.o.Asked.Call.Approval
	a.State, a.Note, a.Answers = chat.ApprovalAllowed, "", chat.Answers{"q1": {"red"}, "q2": {"it is\nwarm"}}
	d := &fakePlatform{post: p}
	require.NoError(t, p.sendBy(t, 1, d))
	require.Equal(t, []string{"om_1: A question for you: Answered by Ann\n\n**Which colour?**\n> red\n\n**Why?**\n> it is\n> warm"}, d.settled)
}

func TestSend_AsksByTheCardOfAModelWhereThereAreForms(t *testing.T) {
	made, err := card.Check(card.Card{Title: "Lunch", Elements: []card.Element{
		{Kind: card.Markdown, Text: "Where to?"}, {Kind: card.Form, Name: "lunch"}, {Kind: card.Input, In: "lunch", Name: "place", Text: "Place"},
		{Kind: card.Button, In: "lunch", Text: "Go"},
	}})
	require.NoError(t, err)
	asks, err := question.OfCard(made)
	require.NoError(t, err)
	p := asksForm(chat.OutboundQuestion, asks...)
	require.NoError(t, p.sendBy(t, 1, &fakePlatform{post: p}))
	require.Equal(t, &made, p.got[0].Card.Design)
	require.Contains(t, p.got[0].Card.Text, "Where to?")

	p = asksForm(chat.OutboundQuestion, asks...)
	require.NoError(t, p.send(t, 1))
	require.Nil(t, p.got[0].Card)
	for _, part := range []string{"**Lunch**", "Where to?", "Place", "A dash answers nothing.", "/deny"} {
		require.Contains(t, p.got[0].Text, part)
	}
}

func TestSend_ShowsACardThatNobodyAnswersOrSaysItInWords(t *testing.T) {
	sends := func() *post {
		p := newPost(`{"title":"Lunch","elements":[{"kind":"markdown","text":"Rice"}]}`)
		p.o.Kind = chat.OutboundCard
		return p
	}
	p := sends()
	require.NoError(t, p.sendBy(t, 1, &fakePlatform{post: p}))
	require.Len(t, p.got, 1)
	require.Equal(t, "Lunch", p.got[0].Card.Design.Title)
	require.Empty(t, p.got[0].Card.ID, "nothing of it can be pressed")

	p = sends()
	require.NoError(t, p.send(t, 1))
	require.Len(t, p.got, 1)
	require.Nil(t, p.got[0].Card)
	require.Equal(t, "**Lunch**\n\nRice", p.got[0].Text)
}
