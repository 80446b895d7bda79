package question

import (
	"maps"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// Fit returns answers in their stored form: labels as the questions write them, without duplicates. Answers that omit a question, name an
// unknown one, choose an option that does not exist, or too many, are Invalid; those of more than chat.MaxAnswers bytes TooLarge.
func Fit(questions []chat.Inquiry, answers chat.Answers) (chat.Answers, error) {
	names := make([]string, len(questions))
	for i, q := range questions {
		names[i] = q.Name
	}
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		if !slices.Contains(names, name) {
			return nil, i18n.Fault(fault.Invalid, i18n.InquiryUnknown, chat.FirstWords(name, maxShown), strings.Join(names, ", "))
		}
	}
	out, size := make(chat.Answers, len(questions)), 0
	for _, q := range questions {
		fit, err := fitOne(q, answers[q.Name])
		if err != nil {
			return nil, err
		}
		if len(fit) == 0 {
			continue
		}
		for _, a := range fit {
			size += len(a)
		}
		out[q.Name] = fit
	}
	if size > chat.MaxAnswers {
		return nil, i18n.Fault(fault.TooLarge, i18n.InquiryTooLong, chat.MaxAnswers)
	}
	return out, nil
}

// maxShown bounds the repeated text of a question or an answer in a sentence about it, in characters.
const maxShown = 80

func fitOne(q chat.Inquiry, given []string) ([]string, error) {
	var fit []string
	for _, a := range given {
		a = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(a, "\uFFFD"), "\x00", ""))
		label, found := labelled(q.Options, ticked(q, a))
		if !found && !q.Other {
			label, found = meant(q.Options, a)
		}
		switch {
		case a == "", ticked(q, a) == "":
			continue
		case found:
			a = label
		case !q.Other:
			return nil, noOption(q, a)
		}
		if !slices.Contains(fit, a) {
			fit = append(fit, a)
		}
	}
	if len(fit) == 0 && q.Default != "" {
		fit = []string{q.Default}
	}
	switch {
	case len(fit) == 0 && q.Optional:
		return nil, nil
	case len(fit) == 0:
		return nil, i18n.Fault(fault.Invalid, i18n.InquiryMissing, chat.FirstWords(q.Text, maxShown))
	case len(fit) > 1 && !q.Multi:
		return nil, i18n.Fault(fault.Invalid, i18n.InquiryOne, chat.FirstWords(q.Text, maxShown))
	}
	return fit, nil
}

// ticked returns the answer to a box, a question with one option that may be chosen or not: platforms send true or false. Any other is
// unchanged.
func ticked(q chat.Inquiry, given string) string {
	switch {
	case !q.Multi || q.Other || len(q.Options) != 1:
	case given == "true":
		return q.Options[0].Label
	case given == "false":
		return ""
	}
	return given
}

func noOption(q chat.Inquiry, said string) error {
	labels := make([]string, len(q.Options))
	for i, o := range q.Options {
		labels[i] = o.Label
	}
	return i18n.Fault(fault.Invalid, i18n.InquiryOption, chat.FirstWords(said, maxShown), chat.FirstWords(q.Text, maxShown), strings.Join(labels, ", "))
}

// Summary returns the answers in one line for display.
func Summary(questions []chat.Inquiry, answers chat.Answers) string {
	said := make([]string, 0, len(questions))
	for _, q := range questions {
		if a := answers[q.Name]; len(a) > 0 {
			said = append(said, chat.FirstWords(strings.Join(a, ", "), maxShown))
		}
	}
	if together(answers) && len(said) > 0 {
		said = said[:1]
	}
	return strings.Join(said, " · ")
}

// Result returns the answers for the model.
func Result(questions []chat.Inquiry, answers chat.Answers) string {
	if len(questions) == 1 {
		return strings.Join(answers[questions[0].Name], "\n")
	}
	if together(answers) {
		return i18n.Say(i18n.English, i18n.InquiryTogether, answers[questions[0].Name][0])
	}
	said := make([]string, len(questions))
	for i, q := range questions {
		said[i] = line(q.Text) + "\n→ " + strings.Join(answers[q.Name], "\n→ ")
	}
	return strings.Join(said, "\n")
}

// together reports whether one text was the answer to several questions.
func together(answers chat.Answers) bool {
	first, all := "", len(answers) > 1
	for _, a := range answers {
		if len(a) != 1 || first != "" && a[0] != first {
			return false
		}
		first = a[0]
	}
	return all && strings.Contains(first, " ")
}
