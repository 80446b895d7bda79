package lexical

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Version counts the changes of Words and Vector. Stores index their texts again when it has grown.
const Version = 1

// lexeme is one word that an index holds of a text, or one pair of ideographs.
type lexeme struct {
	text     string
	pos      int // counted from 0; the parts of a camelCase word have the position of the word
	from, to int // bytes of the text
	first    int // of a pair: where its first letter ends
}

// lexemes calls fn for each lexeme of a text in order, until fn returns false.
func lexemes(text string, fn func(lexeme) bool) {
	pos, stopped := 0, false
	emit := func(l lexeme) {
		stopped = stopped || !fn(l)
	}
	scan(text, func(r *run) bool {
		if r.dense {
			for i := range r.text {
				end := min(i+2, len(r.text))
				emit(lexeme{string(r.text[i:end]), pos, r.at[i], r.endOf(end), r.endOf(i + 1)})
				pos++
			}
			return !stopped
		}
		emit(lexeme{cutRunes(r.text), pos, r.at[0], r.end, r.end})
		for i, from := range r.parts {
			to := len(r.text)
			if i+1 < len(r.parts) {
				to = r.parts[i+1]
			}
			emit(lexeme{cutRunes(r.text[from:to]), pos, r.at[from], r.endOf(to), r.endOf(to)})
		}
		pos++
		return !stopped
	})
}

func cutRunes(word []rune) string { return string(word[:min(len(word), maxWord)]) }

// run is a word, a run of letters of scripts without spaces, or a symbol such as an emoji.
type run struct {
	text  []rune // in lower case, without accents
	at    []int  // where each begins in the source, in bytes
	end   int    // where the run ends in the source
	dense bool   // of a script without spaces
	parts []int  // where the parts of a camelCase word begin in text; empty if there is one part only
}

// endOf returns where the first n runes of a run end in the source.
func (r *run) endOf(n int) int {
	if n < len(r.at) {
		return r.at[n]
	}
	return r.end
}

// scanner divides text into runs.
type scanner struct {
	run
	fn           func(*run) bool
	case1, case2 letterCase // of the last letter and the one before it
	stopped      bool
}

type letterCase int

const (
	noCase letterCase = iota
	digit
	lowerCase
	upperCase
)

// scan calls fn for each run of a text, in order, until fn returns false. fn must not keep the run.
func scan(text string, fn func(*run) bool) {
	s := scanner{fn: fn}
	var it norm.Iter
	it.InitString(norm.NFKC, text)
	for !it.Done() && !s.stopped {
		from := it.Pos()
		segment := it.Next()
		to := it.Pos()
		for len(segment) > 0 {
			r, size := utf8.DecodeRune(segment)
			segment = segment[size:]
			s.next(r, from, to)
		}
	}
	s.flush()
}

// next takes one letter, which is in the source at from.
func (s *scanner) next(r rune, from, to int) {
	open := len(s.text) > 0
	switch {
	case r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'):
		s.letter(r, from, to)
	case r < utf8.RuneSelf:
		s.flush()
	case joiner(r):
	case unicode.Is(unicode.Mn, r) && open:
		if last := s.text[len(s.text)-1]; !folds(last) { // an accent of a letter that keeps its accents, or a vowel sign
			s.add(r, from, to)
		}
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mc, r):
		s.letter(r, from, to)
	case symbol(r):
		s.flush()
		s.add(r, from, to)
		s.flush()
	default:
		s.flush()
	}
}

func (s *scanner) letter(r rune, from, to int) {
	if dense := isDense(r); dense != s.dense {
		s.flush()
		s.dense = dense
	}
	now := caseOf(r)
	switch n := len(s.text); {
	case now == upperCase && (s.case1 == lowerCase || s.case1 == digit):
		s.parts = append(s.parts, n)
	case now == lowerCase && s.case1 == upperCase && s.case2 == upperCase && n > 1:
		s.parts = append(s.parts, n-1)
	}
	s.case1, s.case2 = now, s.case1
	if r < utf8.RuneSelf {
		if now == upperCase {
			r += 'a' - 'A'
		}
		s.add(r, from, to)
		return
	}
	for _, f := range fold(unicode.ToLower(r)) {
		s.add(f, from, to)
	}
}

func (s *scanner) add(r rune, from, to int) {
	s.text, s.at, s.end = append(s.text, r), append(s.at, from), to
}

// flush ends the current run.
func (s *scanner) flush() {
	if len(s.text) > 0 && !s.stopped {
		if len(s.parts) > 0 {
			s.parts = slices.Insert(s.parts, 0, 0)
		}
		s.stopped = !s.fn(&s.run)
	}
	s.text, s.at, s.parts, s.case1, s.case2, s.dense = s.text[:0], s.at[:0], s.parts[:0], noCase, noCase, false
}

// caseOf returns the case of a letter.
func caseOf(r rune) letterCase {
	switch {
	case unicode.IsUpper(r):
		return upperCase
	case unicode.IsLower(r):
		return lowerCase
	case unicode.IsDigit(r):
		return digit
	}
	return noCase
}

// spaceless are scripts that do not write spaces between words, and hangul, whose words carry endings.
var spaceless = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// longVowel lengthens a vowel of kana; Unicode counts it to no script.
const longVowel = 'ー'

func isDense(r rune) bool {
	return r >= 0x0E00 && (r == longVowel || unicode.In(r, spaceless...)) // Thai is the first of them
}

// joiner reports whether a rune occurs within a word and is not part of it: soft hyphens, joiners, variation selectors.
func joiner(r rune) bool {
	return r == 0x00AD || r == 0x200C || r == 0x200D || r >= 0xFE00 && r <= 0xFE0F
}

// symbol reports whether a rune alone is a word, such as an emoji. Lines of tables and bars of charts are none.
func symbol(r rune) bool {
	return unicode.Is(unicode.So, r) && r != utf8.RuneError && (r < 0x2500 || r > 0x259F) && (r < 0x2800 || r > 0x28FF)
}

// folds reports whether accents of a letter are left out: those of Latin and Greek letters.
func folds(r rune) bool { return r < utf8.RuneSelf || unicode.In(r, unicode.Latin, unicode.Greek) }

// plain are letters that Unicode does not decompose, and what people without them on their keyboards type.
var plain = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ħ': "h", 'ı': "i", 'ς': "σ", 'ё': "е",
}

// fold returns a small letter without its accents.
func fold(r rune) string {
	if s, ok := plain[r]; ok {
		return s
	}
	if folds(r) {
		if d := norm.NFD.PropertiesString(string(r)).Decomposition(); len(d) > 0 {
			base, _ := utf8.DecodeRune(d)
			return string(base)
		}
	}
	return string(r)
}
