package lexical

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xbot/internal/chat"
)

// maxHits bounds the places of a text that a snippet is chosen from.
const maxHits = 500

// hit is a place of a text that a phrase has been found at, in bytes.
type hit struct {
	phrase   int
	from, to int
}

// hits returns the positions of the phrases of a search in a text, in order. most bounds how many; 0: the first of each phrase.
func (s Search) hits(text string, most int) []hit {
	var all []lexeme
	lexemes(text, func(l lexeme) bool {
		all = append(all, l)
		return true
	})
	var out []hit
	for n, p := range s.phrases {
		found := 0
		for i := range all {
			to, ok := follow(all[i:], p)
			if !ok {
				continue
			}
			out = append(out, hit{n, all[i].from, to})
			if found++; found >= max(1, most) {
				break
			}
		}
	}
	slices.SortFunc(out, func(a, b hit) int { return a.from - b.from })
	return out
}

// follow reports whether a phrase is at the beginning of a list of lexemes, and where it ends.
func follow(all []lexeme, p []atom) (to int, ok bool) {
	for k := range p {
		want := all[0].pos + k
		i := slices.IndexFunc(all[:min(len(all), span(all, want))], func(l lexeme) bool { return l.pos == want && p[k].meets(l.text) && (k > 0 || l == all[0]) })
		if i < 0 {
			return 0, false
		}
		if to = all[i].to; p[k].prefix && len([]rune(p[k].text)) == 1 { // an ideograph that was found as the beginning of a pair
			to = all[i].first
		}
	}
	return to, len(p) > 0
}

// span returns how many of some lexemes are at a position or before it.
func span(all []lexeme, pos int) int {
	n := slices.IndexFunc(all, func(l lexeme) bool { return l.pos > pos })
	if n < 0 {
		return len(all)
	}
	return n
}

func (a atom) meets(word string) bool {
	return a.text == word || a.prefix && strings.HasPrefix(word, a.text)
}

// Snippet returns the part of a text with the most different phrases of a search, at most size characters, not counting the "…" for
// what is left out. It begins at a word, at most before characters ahead of the first hit. A text without a hit gives its beginning.
func (s Search) Snippet(text string, before, size int) (snippet string, marks []chat.Mark) {
	hits := s.hits(text, maxHits)
	from := s.begin(text, hits, before, size)
	to := wordEnd(text, from, forward(text, from, size))
	marks = marked(text, hits, from, to)
	snippet = text[from:to]
	if from > 0 {
		snippet = "…" + snippet
		for i := range marks {
			marks[i].From, marks[i].To = marks[i].From+1, marks[i].To+1
		}
	}
	if to < len(text) {
		snippet += "…"
	}
	return snippet, marks
}

// begin returns where a snippet begins.
func (s Search) begin(text string, hits []hit, before, size int) int {
	if utf8.RuneCountInString(text) <= size {
		return 0
	}
	first, best := 0, 0
	for i, h := range hits {
		found, end := map[int]bool{}, forward(text, h.from, size-before)
		for _, o := range hits[i:] {
			if o.to > end {
				break
			}
			found[o.phrase] = true
		}
		if len(found) > best {
			first, best = h.from, len(found)
		}
		if best == len(s.phrases) {
			break
		}
	}
	return wordBegin(text, back(text, first, before), first)
}

// wordBegin returns the beginning of the first word of text[from:to]; to if there is none.
func wordBegin(text string, from, to int) int {
	if from == 0 {
		return 0
	}
	prev, _ := utf8.DecodeLastRuneInString(text[:from])
	inWord := isLetter(prev)
	for i, r := range text[from:to] {
		letter := isLetter(r)
		if letter && !inWord || isDense(r) {
			return from + i
		}
		inWord = letter
	}
	return to
}

// wordEnd returns the end of the last whole word of text[from:to]; to if there is one word only.
func wordEnd(text string, from, to int) int {
	if to == len(text) {
		return to
	}
	next, _ := utf8.DecodeRuneInString(text[to:])
	last, _ := utf8.DecodeLastRuneInString(text[from:to])
	if isLetter(next) && isLetter(last) {
		if i := strings.LastIndexFunc(text[from:to], func(r rune) bool { return !isLetter(r) }); i > 0 {
			_, size := utf8.DecodeRuneInString(text[from+i:])
			to = from + i + size
		}
	}
	return from + len(strings.TrimRightFunc(text[from:to], unicode.IsSpace))
}

// isLetter reports whether a rune is a part of a word that a snippet must not divide.
func isLetter(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !isDense(r)
}

// forward returns the place n characters behind another one, or the end; back the one ahead of it, or the beginning.
func forward(text string, at, n int) int {
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

func back(text string, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}

// marked returns the hits within text[from:to] in characters, those that touch as one.
func marked(text string, hits []hit, from, to int) []chat.Mark {
	out := []chat.Mark{}
	chars, at := 0, from // chars is how many characters text[from:at] has
	for _, h := range hits {
		if h.from < from || h.to > to {
			continue
		}
		if n := len(out); n > 0 && h.from <= at {
			if h.to > at {
				chars += utf8.RuneCountInString(text[at:h.to])
				out[n-1].To, at = chars, h.to
			}
			continue
		}
		chars += utf8.RuneCountInString(text[at:h.from])
		m := chat.Mark{From: chars}
		chars += utf8.RuneCountInString(text[h.from:h.to])
		m.To, at = chars, h.to
		out = append(out, m)
	}
	return out
}
