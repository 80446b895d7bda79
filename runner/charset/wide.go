package charset

import (
	"unicode"
	"unicode/utf8"
)

// wide reports whether data with NUL bytes, but without a mark, is text in UTF-16: every character can be shown, and half of them are
// such as texts have.
func wide(text string) bool {
	ascii, usual, all := 0, 0, 0
	for _, r := range text {
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r >= ' ' && r < 0x7F:
			ascii++
		case r < utf8.RuneSelf || !unicode.IsPrint(r) && r != '\u3000' && r != '\u00a0':
			return false
		case letters()[r], unicode.Is(unicode.Cyrillic, r), r >= '\u00c0' && r <= '\u00ff', r >= '\u3041' && r <= '\u30ff':
			usual++
		}
		all++
	}
	return ascii > 0 && all > 2 && 2*(ascii+usual) >= all
}

var letters = setOf(simplified + traditional + korean100 + punctuation)
