package chat

import "unicode/utf8"

// SummaryWords bounds the first words of a message in summaries that operators read, in characters.
const SummaryWords = 40

// FirstWords returns the first line of a text on one line, shortened to at most n characters.
func FirstWords(text string, n int) string {
	var out []rune
	for _, r := range text {
		if r == '\n' && len(out) > 0 {
			break
		}
		if r < ' ' || r == utf8.RuneError {
			r = ' '
		}
		if len(out) == n {
			out[n-1] = '…'
			break
		}
		out = append(out, r)
	}
	return string(out)
}
