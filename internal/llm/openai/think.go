package openai

import "strings"

// marks delimit the thoughts that some models write at the beginning of their text. Many servers of local models
// do not separate them from the text.
type marks struct{ begins, ends string }

var knownMarks = []marks{
	{"<think>", "</think>"}, // DeepSeek-R1 and its distillates, QwQ, Qwen3, MiniMax
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"},       // Gemini over OpenAI's API
	{"[THINK]", "[/THINK]"},           // Magistral
	{"◁think▷", "◁/think▷"},           // Kimi
	{"<seed:think>", "</seed:think>"}, // Seed-OSS
	{"<reasoning>", "</reasoning>"},
	{"<|channel|>analysis<|message|>", "<|end|>"}, // OpenAI's open models, with their tokens
}

// Marks that OpenAI's open models write around the answer, and the words that are left of them on servers which drop the tokens.
const (
	finalBegins   = "<|channel|>final<|message|>"
	bareThoughts  = "analysis"
	bareFinal     = "assistantfinal"
	assistantRole = "<|start|>assistant"
)

// final takes the answer of an open model of OpenAI out of its marks (https://github.com/Augustas11/macprovider/issues/743).
func final(text string) (thought, said string, found bool) {
	if said, found = strings.CutPrefix(strings.TrimPrefix(strings.TrimSpace(text), assistantRole), finalBegins); found {
		said, _, _ = strings.Cut(said, "<|end|>")
		return "", strings.TrimSpace(strings.TrimSuffix(said, "<|return|>")), true
	}
	thought, found = strings.CutPrefix(text, bareThoughts)
	if !found || thought == "" || strings.ContainsAny(thought[:1], " \t\r\n.,:;") {
		return "", "", false
	}
	thought, said, found = strings.Cut(thought, bareFinal)
	return strings.TrimSpace(thought), strings.TrimSpace(said), found
}

// thinkEnds is the mark that comes alone if the chat template wrote the opening mark into the prompt.
const thinkEnds = "</think>"

// thinking separates thoughts from the text, a piece at a time.
type thinking struct {
	place place
	marks marks
	held  string // may be the beginning of a mark
	trim  bool   // nothing but white space has come in this place
	ended bool   // thoughts that no mark had begun have ended
}

// place is the position of a piece in the text.
type place int

const (
	beforeText place = iota
	inThought
	inText
)

// part splits a piece of the text.
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

// open returns the text behind the opening mark, or the whole text without one.
func (t *thinking) open(text string) string {
	t.held = ""
	begins := strings.TrimLeft(text, " \t\r\n")
	wait := false
	for _, known := range knownMarks {
		if after, found := strings.CutPrefix(begins, known.begins); found {
			t.place, t.marks, t.trim = inThought, known, true
			return after
		}
		wait = wait || strings.HasPrefix(known.begins, begins)
	}
	if wait {
		t.held = text
		return ""
	}
	t.place = inText
	return text
}

// close returns the text before and behind the closing mark.
func (t *thinking) close(text string) (thought, rest string) {
	t.held = ""
	thought, rest, found := strings.Cut(text, t.marks.ends)
	if found {
		thought = t.trimmed(thought)
		t.place, t.trim = inText, true
		return thought, rest
	}
	for n := min(len(t.marks.ends)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, t.marks.ends[:n]) {
			text, t.held = text[:len(text)-n], text[len(text)-n:]
			break
		}
	}
	return t.trimmed(text), ""
}

// trimmed removes the white space around the marks.
func (t *thinking) trimmed(text string) string {
	if t.trim {
		text = strings.TrimLeft(text, " \t\r\n")
		t.trim = text == ""
	}
	return text
}

// rest returns the text that is still held back at the end.
func (t *thinking) rest() (thought, said string) {
	held := t.held
	t.held = ""
	if t.place == inThought {
		return held, ""
	}
	return "", held
}

// unopened finds a closing mark without an opening one. The text from the given position on is new. A mark in code, between
// quotes or behind a space is part of the answer.
func unopened(text string, from int) (thought, said string, found bool) {
	from = max(0, from-len(thinkEnds)+1)
	at := strings.Index(text[from:], thinkEnds)
	if at < 0 {
		return "", "", false
	}
	thought, said = text[:from+at], text[from+at+len(thinkEnds):]
	if thought != "" && strings.ContainsAny(thought[len(thought)-1:], "`'\" ") || strings.Count(thought, "```")%2 == 1 || strings.Contains(thought, "<think>") {
		return "", "", false
	}
	return strings.TrimSpace(thought), strings.TrimLeft(said, " \t\r\n"), true
}
