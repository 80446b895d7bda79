// Package format brings answers, which are Markdown, into the dialects of platforms: the Markdown of cards, rows of rich
// text, plain text. It splits what is too long for one message, and finds the people whom an answer names. All of it is
// pure. Hidden parts and tokens of silence were taken out before (package soul).
package format

import (
	"unicode/utf8"

	"xbot/internal/channel"
)

// Tables is how many tables Feishu shows in one card.
const Tables = 3

// Render brings an answer into a dialect. No word of it is lost, but for what Markdown itself does not show: the language
// of code, titles of links.
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

// Size is how many characters an answer has in a dialect, or as it is written if that is more. Where Markdown is refused, it
// is sent without markup: either has room.
func Size(d channel.Dialect, text string) int {
	if d == channel.Markdown {
		d = channel.Plain
	}
	return max(utf8.RuneCountInString(text), utf8.RuneCountInString(Render(d, text)))
}
