package question

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Check prepares questions: it names them q1, q2 ... in their order, removes unprintable characters, and lets those without options be
// answered in words. Questions that a user could not understand are Invalid, in a sentence for the model.
func Check(asked []chat.Inquiry) ([]chat.Inquiry, error) {
	if len(asked) == 0 || len(asked) > chat.MaxInquiries {
		return nil, fault.Errorf(fault.Invalid, "questions must hold 1 to %d questions, not %d", chat.MaxInquiries, len(asked))
	}
	out := make([]chat.Inquiry, len(asked))
	for i, q := range asked {
		q.Name, q.Text = "q"+strconv.Itoa(i+1), shown(q.Text)
		switch {
		case q.Text == "":
			return nil, fault.Errorf(fault.Invalid, "question %d has no text", i+1)
		case utf8.RuneCountInString(q.Text) > chat.MaxInquiryText:
			return nil, fault.Errorf(fault.Invalid, "question %d is longer than %d characters; say the rest in your answer before the call", i+1, chat.MaxInquiryText)
		case len(q.Options) > chat.MaxOptions:
			return nil, fault.Errorf(fault.Invalid, "question %d has %d options; at most %d can be shown", i+1, len(q.Options), chat.MaxOptions)
		}
		var err error
		if q.Options, err = options(q.Options, i+1); err != nil {
			return nil, err
		}
		q.Other = q.Other || len(q.Options) == 0
		q.Multi = q.Multi && len(q.Options) > 0
		out[i] = q
	}
	return out, nil
}

func options(given []chat.InquiryOption, question int) ([]chat.InquiryOption, error) {
	var out []chat.InquiryOption
	for _, o := range given {
		o.Label, o.About = line(o.Label), line(o.About)
		switch {
		case o.Label == "":
			return nil, fault.Errorf(fault.Invalid, "question %d has an option without a label", question)
		case utf8.RuneCountInString(o.Label) > chat.MaxOptionLabel:
			return nil, fault.Errorf(fault.Invalid, "question %d has an option of more than %d characters; say what it means in about", question, chat.MaxOptionLabel)
		case utf8.RuneCountInString(o.About) > chat.MaxOptionAbout:
			return nil, fault.Errorf(fault.Invalid, "the about of option %q is longer than %d characters", o.Label, chat.MaxOptionAbout)
		}
		if _, twice := labelled(out, o.Label); twice {
			return nil, fault.Errorf(fault.Invalid, "question %d has the option %q twice", question, o.Label)
		}
		out = append(out, o)
	}
	return out, nil
}

// shown returns a text without unprintable characters and without blank ends.
func shown(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) && r != '\n' {
			if unicode.IsSpace(r) {
				return ' '
			}
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "")))
}

// line returns a text on one line.
func line(text string) string { return strings.Join(strings.Fields(shown(text)), " ") }

// labelled finds the option of a label, ignoring case.
func labelled(options []chat.InquiryOption, label string) (string, bool) {
	label = line(label)
	for _, o := range options {
		if strings.EqualFold(o.Label, label) {
			return o.Label, true
		}
	}
	return "", false
}
