package question

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// Read parses a typed answer. One question: the number or the label of an option, several of them separated by commas if more than one may be
// chosen, else the text itself. Several questions: a line each, or one text for all if none needs an option. A question with a default takes
// no line, and a dash omits an optional one. A text that fits nothing is Invalid, in a sentence for its writer.
func Read(questions []chat.Inquiry, text string) (chat.Answers, error) {
	text = strings.TrimSpace(text)
	all := questions
	if questions = undecided(questions); len(questions) == 1 {
		q := questions[0]
		return Fit(all, chat.Answers{q.Name: readOne(q, text)})
	}
	answers, lines := make(chat.Answers, len(questions)), linesOf(text)
	if len(lines) != len(questions) {
		for _, q := range questions {
			if !q.Other {
				return nil, i18n.Fault(fault.Invalid, i18n.InquiryLines, len(questions))
			}
			answers[q.Name] = []string{text}
		}
		return Fit(all, answers)
	}
	for i, q := range questions {
		answers[q.Name] = readOne(q, unnumbered(lines[i], i+1))
	}
	return Fit(all, answers)
}

// undecided returns the questions that a typed text answers: those without a default, or all if each has one.
func undecided(questions []chat.Inquiry) (out []chat.Inquiry) {
	for _, q := range questions {
		if q.Default == "" {
			out = append(out, q)
		}
	}
	if len(out) == 0 {
		return questions[:1]
	}
	return out
}

// readOne parses the answer to one question.
func readOne(q chat.Inquiry, text string) []string {
	if q.Optional && strings.Trim(text, "-\u2013\u2014") == "" {
		return nil
	}
	if label, ok := chosen(q, text); ok {
		return []string{label}
	}
	if !q.Multi {
		return []string{text}
	}
	var labels []string
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",\uFF0C\u3001;\uFF1B\n", r) }) {
		label, ok := chosen(q, piece)
		if !ok {
			return []string{text} // it is a sentence with a comma
		}
		labels = append(labels, label)
	}
	return labels
}

// chosen finds the option that a text means: by its label, by its number, else in other words.
func chosen(q chat.Inquiry, text string) (string, bool) {
	if label, ok := labelled(q.Options, text); ok {
		return label, true
	}
	return meant(q.Options, text)
}

// halfWidth replaces full-width digits of Chinese input methods by ASCII digits.
func halfWidth(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '\uFF10' && r <= '\uFF19' {
			return r - '\uFF10' + '0'
		}
		return r
	}, text)
}

// unnumbered removes the number of its question from a line, if more text follows. "1:30" is no such number.
func unnumbered(line string, question int) string {
	number, size := utf8.DecodeRuneInString(line)
	if halfWidth(string(number)) != strconv.Itoa(question) {
		return line
	}
	for _, mark := range []string{". ", ") ", ": ", "\u3001", "\uFF1A", "\uFF09"} {
		if after, ok := strings.CutPrefix(line[size:], mark); ok && strings.TrimSpace(after) != "" {
			return strings.TrimSpace(after)
		}
	}
	return line
}

// linesOf returns the lines of a text that are not blank.
func linesOf(text string) (lines []string) {
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}
