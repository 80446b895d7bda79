package lexical

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Limits of a vector. Postgres keeps at most 255 positions of a word, none above 16,383, and a megabyte in all; the index takes
// some microseconds for each different word.
const (
	maxPositions   = 255
	positionCycle  = 16_000
	maxVectorBytes = 256 << 10
)

// Vector returns the words of a text with their positions, in the input format of Postgres' tsvector, and how many there are,
// with repetitions. It is empty for a text without words. Positions of long texts begin again after 16,000 words: neighbors stay adjacent. Of a text
// whose vector would be larger than 256 kB, which takes about 15,000 different words, the end is left out.
func Vector(text string) (vector string, words int) {
	positions := map[string][]int{}
	size := 0
	lexemes(text, func(l lexeme) bool {
		words++
		had, known := positions[l.text]
		pos := l.pos%positionCycle + 1
		if !known {
			size += len(l.text) + 12 // what Postgres adds to a word
		}
		if len(had) < maxPositions && (len(had) == 0 || had[len(had)-1] != pos) {
			positions[l.text] = append(had, pos)
			size += 2
		}
		return size < maxVectorBytes
	})
	var out strings.Builder
	for i, w := range slices.Sorted(maps.Keys(positions)) {
		if i > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(quoted(w))
		for n, pos := range positions[w] {
			out.WriteByte(":,"[min(n, 1)])
			out.WriteString(strconv.Itoa(pos))
		}
	}
	return out.String(), words
}

// quoted returns a word as Postgres reads it in vectors and queries. Words have letters, digits, accents and symbols only, none of
// which needs an escape within quotes.
func quoted(word string) string { return "'" + word + "'" }
