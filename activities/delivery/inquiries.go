package delivery

import (
	"strings"

	"xbot/internal/channel"
	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/i18n"
	"xbot/internal/turn/question"
)

// inquiries returns the questions of the model, where a call asks some.
func inquiries(a chat.Asking) []chat.Inquiry {
	if a.Call.Approval == nil {
		return nil
	}
	return a.Call.Approval.Questions
}

// oneButtonAnswers reports whether a question can be answered by one button: a permission, or one option of one question.
func oneButtonAnswers(a chat.Asking) bool {
	all := inquiries(a)
	return len(all) == 0 || len(all) == 1 && len(all[0].Options) > 0 && !all[0].Multi
}

// formOf returns a form with a field for each question of the model.
func formOf(a chat.Asking) *channel.Question {
	lang := i18n.Lang(a.Lang)
	q := &channel.Question{
		ID: string(a.Call.ID), Title: i18n.Say(lang, i18n.AskForm), Text: about(a),
		Buttons: []channel.Button{
			{Name: chat.PressSend, Label: i18n.Say(lang, i18n.AskSend), Style: "primary"},
			{Name: chat.PressDeny, Label: i18n.Say(lang, i18n.AskDecline)},
		},
	}
	for _, in := range inquiries(a) {
		f := channel.Field{Name: in.Name, Label: in.Text, Multi: in.Multi, Other: in.Other && len(in.Options) > 0}
		for _, o := range in.Options {
			f.Options = append(f.Options, o.Label)
		}
		q.Fields = append(q.Fields, f)
	}
	q.Design = question.CardOf(inquiries(a))
	return q
}

// about returns the text above the questions: why they are asked, and what their options mean.
func about(a chat.Asking) string {
	var parts []string
	if r := strings.TrimSpace(a.Call.Approval.Reason); r != "" {
		parts = append(parts, quoted(r))
	}
	for _, in := range inquiries(a) {
		if in.Above != "" {
			parts = append(parts, in.Above)
		}
		var means []string
		for _, o := range in.Options {
			if o.About != "" {
				means = append(means, "- **"+line(o.Label)+"**: "+line(o.About))
			}
		}
		if len(means) > 0 {
			parts = append(parts, strings.Join(means, "\n"))
		}
	}
	return strings.Join(parts, "\n\n")
}

// inquiriesInWords returns the questions where they are answered by typing.
func inquiriesInWords(a chat.Asking) string {
	lang := i18n.Lang(a.Lang)
	var parts []string
	if r := strings.TrimSpace(a.Call.Approval.Reason); r != "" {
		parts = append(parts, quoted(r))
	}
	parts = append(parts, strings.TrimRight(markdown.Visible(question.List(inquiries(a))), "\n"), question.How(lang, inquiries(a))+" "+i18n.Say(lang, i18n.AskDeclineH))
	return strings.Join(parts, "\n\n")
}

// line returns a text on one line.
func line(text string) string { return markdown.Visible(strings.Join(strings.Fields(text), " ")) }
