package activities

import (
	"strings"
	"unicode/utf8"
)

// Clean makes text storable: valid UTF-8 without NUL, which Postgres cannot hold.
func Clean(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.ReplaceAll(text, "\x00", "")
}

// Shorten cuts text to n characters for a history.
func Shorten(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}
