package chat

import (
	"strings"
	"unicode/utf8"
)

// Clean makes text storable: valid UTF-8 without NUL, which Postgres cannot store.
func Clean(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.ReplaceAll(text, "\x00", "")
}
