// Package format brings answers, which are Markdown, into the dialects of platforms: the Markdown of cards, rows of rich
// text, plain text. It splits answers that are too long for one message, and finds the users an answer names. It is pure.
// Hidden parts and tokens of silence were removed before (package soul).
package format

import (
	"unicode/utf8"

	"xbot/internal/channel"
)

// Tables is how many tables Feishu shows in one card.
const Tables = 3

// Render brings an answer into a dialect. No word is lost, except those that Markdown itself does not show: the language of
// code, titles of links.
func Render(d channel.Dialect, text string) string {
	switch d {
	case channel.Plain:
		return Plain(text)
	case channel.Card:
		return Card(text, Tables)
	default:
		return text
	}
}

// Size returns the number of characters of an answer in a dialect, or as written if that is more. Where Markdown is refused, the
// answer is sent without markup: both fit.
func Size(d channel.Dialect, text string) int {
	if d == channel.Markdown {
		d = channel.Plain
	}
	return max(utf8.RuneCountInString(text), utf8.RuneCountInString(Render(d, text)))
}
