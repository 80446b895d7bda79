package lexical

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a search: more is left out.
const (
	maxPhrases = 32
	maxAtoms   = 64 // in all phrases
)

// Search is the phrases to find in a text: all of them, or any. The zero Search finds nothing.
type Search struct {
	phrases [][]atom
	any     bool
}

// atom is a word of a text, or the beginning of one.
type atom struct {
	text   string
	prefix bool
}

// Parse reads a search as people type it. Words may be anywhere in a text; what is written together, such as foo.bar() or
// 天气预报, or is in quotation marks, has to be in the text in this order. The last word may be the beginning of one,
// unless a space or a quotation mark follows.
func Parse(q string) Search {
	var s Search
	atoms := 0
	for _, c := range chunks(cut(q, maxQuery)) {
		p := phrase(c)
		if atoms += len(p); atoms > maxAtoms || len(s.phrases) == maxPhrases {
			break
		}
		if len(p) > 0 && !slices.ContainsFunc(s.phrases, func(o []atom) bool { return slices.Equal(o, p) }) {
			s.phrases = append(s.phrases, p)
		}
	}
	return s
}

// Question returns the search for texts that contain all significant words of a question, n at most.
func Question(q string, n int) Search {
	var s Search
	for _, t := range Query(q) {
		if t.Weight == 1 && len(s.phrases) < n {
			s.phrases = append(s.phrases, []atom{{t.Text, t.Prefix}})
		}
	}
	return s
}

// Any returns the search for texts that contain at least one of the phrases.
func (s Search) Any() Search { return Search{s.phrases, true} }

// Phrases returns how many phrases there are.
func (s Search) Phrases() int { return len(s.phrases) }

// chunk is a piece of a query that is looked for as a phrase.
type chunk struct {
	text string
	open bool // its last word may continue
}

// chunks divides a query at spaces outside of quotation marks.
func chunks(q string) []chunk {
	var out []chunk
	begin, quote := 0, false
	end := func(at int, open bool) {
		if at > begin {
			out = append(out, chunk{q[begin:at], open})
		}
	}
	for i, r := range q {
		switch {
		case (r == '"' || r == '“' || r == '”' || r == '„') && (quote || i == begin): // 5" is no quotation
			end(i, false)
			begin, quote = i+utf8.RuneLen(r), !quote
		case !quote && unicode.IsSpace(r):
			end(i, false)
			begin = i + utf8.RuneLen(r)
		}
	}
	end(len(q), true)
	return out
}

// phrase returns the words of a chunk.
func phrase(c chunk) []atom {
	var out []atom
	last := false // the atom at the end is the last letter of a dense run, which only a following run has to meet
	scan(c.text, func(r *run) bool {
		last = false
		if !r.dense {
			out = append(out, atom{cutRunes(r.text), false})
			return true
		}
		for i := range r.text {
			out = append(out, atom{string(r.text[i:min(i+2, len(r.text))]), false})
		}
		last = len(r.text) > 1
		return true
	})
	if last {
		return out[:len(out)-1]
	}
	if n := len(out); n > 0 {
		r, size := utf8.DecodeRuneInString(out[n-1].text)
		if dense := isDense(r); dense || c.open && size < len(out[n-1].text) {
			out[n-1].prefix = !dense || size == len(out[n-1].text)
		}
	}
	return out
}

// TSQuery returns the search as a tsquery of Postgres. It is empty for a search that finds nothing.
func (s Search) TSQuery() string {
	phrases := make([]string, len(s.phrases))
	for i, p := range s.phrases {
		words := make([]string, len(p))
		for k, a := range p {
			words[k] = quoted(a.text)
			if a.prefix {
				words[k] += ":*"
			}
		}
		phrases[i] = "(" + strings.Join(words, " <-> ") + ")"
	}
	if s.any {
		return strings.Join(phrases, " | ")
	}
	return strings.Join(phrases, " & ")
}

// Match reports whether a text is found.
func (s Search) Match(text string) bool {
	found := map[int]bool{}
	for _, h := range s.hits(text, 0) {
		found[h.phrase] = true
	}
	return len(found) > 0 && (s.any || len(found) == len(s.phrases))
}
