package question

import (
	"slices"
	"strconv"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/i18n"
)

// Show writes questions as plain text with numbers, and how they are answered by typing, for places without forms.
func Show(lang i18n.Lang, questions []chat.Inquiry) string {
	return List(questions) + How(lang, questions)
}

// List writes questions as plain text with numbers.
func List(questions []chat.Inquiry) string {
	var out strings.Builder
	if len(questions) > 0 && questions[0].Above != "" {
		out.WriteString(questions[0].Above + "\n\n")
	}
	questions = undecided(questions)
	for i, q := range questions {
		if len(questions) > 1 {
			out.WriteString(strconv.Itoa(i+1) + ". ")
		}
		out.WriteString(q.Text + "\n")
		for n, o := range q.Options {
			out.WriteString("   " + strconv.Itoa(n+1) + ") " + o.Label)
			if o.About != "" {
				out.WriteString(" - " + o.About)
			}
			out.WriteString("\n")
		}
	}
	return out.String()
}

// ConnectedAs returns a short sentence about the connected account. label is its owner; empty: unknown.
func ConnectedAs(lang i18n.Lang, provider, label string) string {
	if label == "" {
		return i18n.Say(lang, i18n.OAuthConnected, provider)
	}
	return i18n.Say(lang, i18n.OAuthConnectedAs, provider, label)
}

// How describes how to answer questions by typing.
func How(lang i18n.Lang, questions []chat.Inquiry) string {
	questions = undecided(questions)
	if len(questions) > 1 && slices.ContainsFunc(questions, func(q chat.Inquiry) bool { return q.Optional }) {
		return i18n.Say(lang, i18n.InquiryHowLines) + " " + i18n.Say(lang, i18n.InquiryHowDash)
	}
	if len(questions) > 1 {
		return i18n.Say(lang, i18n.InquiryHowLines)
	}
	if questions[0].Optional {
		return How(lang, []chat.Inquiry{required(questions[0])}) + " " + i18n.Say(lang, i18n.InquiryHowSkip)
	}
	if questions[0].Connect != nil {
		return i18n.Say(lang, i18n.OAuthNoAddress)
	}
	say := i18n.InquiryHowText
	if q := questions[0]; len(q.Options) > 0 {
		switch {
		case q.Multi && q.Other:
			say = i18n.InquiryHowBoth
		case q.Multi:
			say = i18n.InquiryHowMany
		case q.Other:
			say = i18n.InquiryHowOther
		default:
			say = i18n.InquiryHowOne
		}
	}
	return i18n.Say(lang, say)
}

func required(q chat.Inquiry) chat.Inquiry {
	q.Optional = false
	return q
}
