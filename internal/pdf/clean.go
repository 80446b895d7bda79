package pdf

import (
	"strings"
	"unicode"
)

// marks are what documents and the engine write for line ends and for hyphens at them.
var marks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x02", "-", "\ufffe", "-")

// clean is the text without what does not show.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, marks.Replace(text))
	return strings.TrimSpace(text)
}
