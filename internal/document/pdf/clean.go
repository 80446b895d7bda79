package pdf

import (
	"strings"
	"unicode"
)

// marks replaces the line ends and hyphens that documents and the engine write.
var marks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x02", "-", "\ufffe", "-")

// clean returns the text without invisible characters.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, marks.Replace(text))
	return strings.TrimSpace(text)
}
