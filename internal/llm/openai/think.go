package openai

import "strings"

// The marks around the thinking that some models write at the beginning of their text: DeepSeek-R1 and its distillates, QwQ and Qwen3 where
// the server does not part it from the text, which servers of local models often do not.
const (
	thinkBegins = "<think>"
	thinkEnds   = "</think>"
)

// thinking parts such thinking from the text, a piece at a time.
type thinking struct {
	place place
	held  string // may be the beginning of a mark
	trim  bool   // nothing but white space has come in this place
}

// place is where in the text a piece stands.
type place int

const (
	beforeText place = iota
	inThought
	inText
)

// part takes a piece of the text.
func (t *thinking) part(piece string) (thought, said string) {
	if t.place == beforeText {
		piece = t.open(t.held + piece)
	}
	if t.place == inThought {
		thought, piece = t.close(t.held + piece)
	}
	if t.place == inText {
		said = t.trimmed(piece)
	}
	return thought, said
}

// open looks for the first mark, and returns what comes after it, or all where there is none.
func (t *thinking) open(text string) string {
	t.held = ""
	begins := strings.TrimLeft(text, " \t\r\n")
	after, found := strings.CutPrefix(begins, thinkBegins)
	switch {
	case found:
		t.place, t.trim = inThought, true
		return after
	case strings.HasPrefix(thinkBegins, begins):
		t.held = text
		return ""
	}
	t.place = inText
	return text
}

// close looks for the second mark, and returns what comes before and after it.
func (t *thinking) close(text string) (thought, rest string) {
	t.held = ""
	thought, rest, found := strings.Cut(text, thinkEnds)
	if found {
		thought = t.trimmed(thought)
		t.place, t.trim = inText, true
		return thought, rest
	}
	for n := min(len(thinkEnds)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, thinkEnds[:n]) {
			text, t.held = text[:len(text)-n], text[len(text)-n:]
			break
		}
	}
	return t.trimmed(text), ""
}

// trimmed leaves out the white space around the marks.
func (t *thinking) trimmed(text string) string {
	if t.trim {
		text = strings.TrimLeft(text, " \t\r\n")
		t.trim = text == ""
	}
	return text
}

// rest is what was held back at the end.
func (t *thinking) rest() (thought, said string) {
	held := t.held
	t.held = ""
	if t.place == inThought {
		return held, ""
	}
	return "", held
}
