package delivery

import (
	"context"
	"slices"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/channel/card"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// ask makes the piece of a question: a card where the platform has buttons, else a text with instructions for answering it. ended is true for one
// that is closed and that no user can have seen.
func (s *sending) ask() (ended bool) {
	asked, t := *s.o.Asked, channel.TraitsAt(s.account, s.o.Place)
	_, forms := s.account.(channel.Asker)
	if forms || t.Buttons && oneButtonAnswers(asked) {
		s.card = cardOf(asked, forms)
	}
	switch {
	case len(s.o.Pieces) > 0 && s.card != nil && s.o.Pieces[0].Text != "":
		s.card = nil // it was begun as a text
	case len(s.o.Pieces) > 0:
	case s.card != nil:
		s.o.Pieces = []chat.Piece{{Seq: s.o.Before + 1}}
	default:
		s.o.Pieces = s.divide(inWords(asked), s.o.Before, t)
	}
	return !isOpen(asked) && s.o.Pieces[0].State == chat.PieceWaiting
}

func isOpen(a chat.Asking) bool {
	return a.Call.Approval != nil && a.Call.Approval.State == chat.ApprovalOpen
}

// cardOf returns the question whether a call may run, or what the model asks. Where there are no forms, a note is given in words.
func cardOf(a chat.Asking, forms bool) *channel.Question {
	if connects(a) != nil {
		return connectCard(a)
	}
	if len(inquiries(a)) > 0 {
		return formOf(a)
	}
	if a.Call.Plan != nil {
		return planCard(a, forms)
	}
	say := func(id i18n.ID, args ...any) string { return i18n.Say(i18n.Lang(a.Lang), id, args...) }
	q := &channel.Question{
		ID: string(a.Call.ID), Title: say(i18n.AskTitle, a.Call.Name), Text: requestText(a),
		Buttons: []channel.Button{
			{Name: chat.PressAllow, Label: say(i18n.AskAllow), Style: "primary"},
			{Name: chat.PressAlways, Label: say(i18n.AskAlways)},
			{Name: chat.PressDeny, Label: say(i18n.AskDeny), Style: "danger"},
		},
	}
	switch always := a.Call.Approval.Always; {
	case len(always) == 0:
		q.Buttons = slices.Delete(q.Buttons, 1, 2)
	case always[0].Pattern != "":
		q.Text += "\n\n" + say(i18n.AskMeans, markdown.Line(chat.InWords(always)))
	}
	if forms {
		q.Fields = []channel.Field{{Name: chat.PressNote, Label: say(i18n.AskNote)}}
	} else {
		q.Text += "\n\n" + say(howToAnswer(a))
	}
	return q
}

// inWords returns the question where there are no buttons.
func inWords(a chat.Asking) string {
	lang := i18n.Lang(a.Lang)
	if connects(a) != nil {
		return connectInWords(a)
	}
	if len(inquiries(a)) > 0 {
		return inquiriesInWords(a)
	}
	if a.Call.Plan != nil {
		return strings.Join([]string{"**" + planTitle(a) + "**", planText(a), i18n.Say(lang, i18n.PlanHow)}, "\n\n")
	}
	return strings.Join([]string{"**" + i18n.Say(lang, i18n.AskTitle, a.Call.Name) + "**", requestText(a), i18n.Say(lang, howToAnswer(a))}, "\n\n")
}

// howToAnswer returns the sentence with the words that answer a question, and who may answer.
func howToAnswer(a chat.Asking) i18n.ID {
	if a.InGroup {
		return i18n.AskHowGroup
	}
	return i18n.AskHow
}

// unasked asks with a text if the platform refuses the card: a user who is not asked cannot answer.
func (s *sending) unasked(ctx context.Context) error {
	s.card = nil
	words, err := s.words()
	if err != nil {
		return err
	}
	s.o.Pieces = s.divide(words, s.o.Before, channel.TraitsAt(s.account, s.o.Place))
	for n := range s.o.Pieces {
		if err := s.piece(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// words returns the text of a card where cards are not shown.
func (s *sending) words() (string, error) {
	if s.o.Kind != chat.OutboundCard {
		return inWords(*s.o.Asked), nil
	}
	made, err := parseModelCard(s.o)
	return card.Text(made), err
}

// requestText returns what would run, why, and where, for the user who is asked.
func requestText(a chat.Asking) string {
	lang := i18n.Lang(a.Lang)
	parts := []string{changes(a.Call.ToolCall, lang)}
	if r := strings.TrimSpace(a.Call.Approval.Reason); r != "" {
		parts = append(parts, quoted(r))
	}
	if a.Call.Cwd != "" {
		parts = append(parts, i18n.Say(lang, i18n.AskFolder, markdown.Line(a.Call.Cwd)))
	}
	return strings.Join(parts, "\n\n")
}

// settle shows on a question that users see how it ended. Where there are no buttons there is nothing to take away.
func (s *sending) settle(ctx context.Context) (state, reason string, err error) {
	asked := *s.o.Asked
	asker, can := s.account.(channel.Asker)
	if !can || asked.Sent == "" || asked.Call.Approval == nil {
		return chat.OutboundSent, "", nil
	}
	q := cardOf(asked, true)
	if len(inquiries(asked)) == 0 {
		q.Fields = nil // the note
	}
	if err := s.pictures(ctx, q); err != nil {
		return "", "", err
	}
	if err := asker.Settle(ctx, s.o.Place, asked.Sent, *q, outcome(*asked.Call.Approval, i18n.Lang(asked.Lang))); err != nil {
		return s.gaveUp(err)
	}
	return chat.OutboundSent, "", nil
}

// outcome returns how a question ended, with the note of the user who answered.
func outcome(a chat.Approval, lang i18n.Lang) string {
	parts := []string{i18n.Outcome(lang, a)}
	for _, q := range a.Questions {
		if answers := a.Answers[q.Name]; len(answers) > 0 {
			parts = append(parts, "**"+line(q.Text)+"**\n"+quoted(strings.Join(answers, "\n")))
		}
	}
	if note := strings.TrimSpace(a.Note); note != "" && a.AnsweredBy != chat.AnsweredByNobody && !a.AgentEnded() {
		parts = append(parts, quoted(note))
	}
	return strings.Join(parts, "\n\n")
}

func quoted(text string) string {
	return "> " + strings.ReplaceAll(markdown.Visible(text), "\n", "\n> ")
}
