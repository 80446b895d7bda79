// Package lexical divides texts into the words that a full-text index holds, and queries into what they ask the index for,
// in languages that write spaces between words and in those that do not. It is pure.
//
// A word is a run of letters and digits in lower case, without the accents of Latin and Greek letters; the parts of a
// camelCase word are words, too. A run of ideographs, kana, hangul, Thai, Lao, Khmer or Burmese letters becomes its
// overlapping pairs, and its last letter alone: every word of two letters is then found as a pair, and every single letter
// as the beginning of one. An emoji is a word.
//
// [Parse] reads what people type into a search, [Query] questions whose answers are ranked.
package lexical

import (
	"slices"
	"strings"
	"unicode"
)

// Bounds of indexed texts and of queries.
const (
	maxWord  = 40  // letters; the rest of a longer word is left out
	maxTerms = 32  // of a query
	maxQuery = 600 // letters of a query that are read
)

// Words returns what an index holds of a text, in its order, with repetitions. It can be empty.
func Words(text string) []string {
	var out []string
	lexemes(text, func(l lexeme) bool {
		out = append(out, l.text)
		return true
	})
	return out
}

// Term is one thing that a query asks for: all words of an index that begin with Text, or those that are it.
type Term struct {
	Text   string
	Prefix bool
	Weight float64 // 1; less for the guess that a word with the same beginning is meant
}

// Query returns the terms of a query, each once. Of a word with endings its beginning is asked for, too, so that allergic
// finds allergies; common English words are left out unless there are no others. It can be empty.
func Query(text string) []Term {
	var terms, common []Term
	add := func(t Term) {
		if !slices.ContainsFunc(terms, func(other Term) bool { return other.Text == t.Text && other.Prefix == t.Prefix }) {
			terms = append(terms, t)
		}
	}
	scan(cut(text, maxQuery), func(r *run) bool {
		switch word := cutRunes(r.text); {
		case r.dense && len(r.text) == 1:
			add(Term{word, true, 1})
		case r.dense:
			for i := range len(r.text) - 1 {
				add(Term{string(r.text[i : i+2]), false, 1})
			}
		case isCommon(word):
			common = append(common, Term{word, false, 1})
		default:
			add(Term{word, len(r.text) >= 3, 1})
			if stem := stem(r.text); stem != "" {
				add(Term{stem, true, 0.5})
			}
		}
		return true
	})
	if len(terms) == 0 {
		terms = common
	}
	return terms[:min(len(terms), maxTerms)]
}

// stem returns the beginning of a word that its other forms have as well; empty: the word is too short, or a number.
func stem(word []rune) string {
	if len(word) < 5 || slices.ContainsFunc(word, unicode.IsDigit) {
		return ""
	}
	return string(word[:max(4, min(len(word)-3, 6))])
}

// Likeness returns how much two texts have in common, from 0 to 1: the words in both, as part of all words.
func Likeness(a, b string) float64 {
	in := map[string]bool{}
	for _, w := range Words(a) {
		in[w] = false
	}
	both, all := 0, len(in)
	other := map[string]bool{}
	for _, w := range Words(b) {
		if other[w] {
			continue
		}
		other[w] = true
		if _, shared := in[w]; shared {
			both++
		} else {
			all++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(both) / float64(all)
}

func cut(text string, letters int) string {
	if runes := []rune(text); len(runes) > letters {
		return string(runes[:letters])
	}
	return text
}

// isCommon reports whether a word is in so many English texts that it has no weight.
func isCommon(word string) bool { _, yes := slices.BinarySearch(common, word); return yes }

var common = strings.Fields(`a about after all also am an and any are as at be because been but by can could did do does for from get got had has
have he her here him his how i if in into is it its just like may me more most my no not of on or our out over please she should so
some than that the their them then there these they this to up us very was we were what when where which who whom whose why will
with would you your`)
