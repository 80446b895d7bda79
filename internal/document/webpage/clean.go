package webpage

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean returns a text without what does not show: control characters, and the marks with which text is hidden from people or turned around. White space
// in excess goes, too.
func clean(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\u200c' || r == '\u200d': // joiners: scripts and emoji are written with them
			return r
		case r == '\u2028' || r == '\u2029':
			return '\n'
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return strings.TrimSpace(blank.ReplaceAllString(trailing.ReplaceAllString(text, "\n"), "\n\n"))
}

var (
	trailing = regexp.MustCompile(`[ \t\x{a0}]+\n`)
	blank    = regexp.MustCompile(`\n{3,}`)
)

// oneLine returns a text on one line of at most so many characters, without what does not print.
func oneLine(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text[:min(len(text), limit*16)])
	return cutAt(strings.Join(strings.Fields(text), " "), limit)
}

// cutAt shortens a text to so many characters, the last of which is then an ellipsis.
func cutAt(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}
