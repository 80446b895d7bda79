package openai

import (
	"fmt"
	"slices"
	"strings"
)

// maxQuoted bounds the quotes of earlier messages, in bytes; the oldest are left out.
const maxQuoted = 100_000

// line is a message of a request that comes before the one to answer.
type line struct{ role, text string }

// composed returns the text that the model reads: the message, and before it the other texts of the program. The caller is one user, so
// instructions of the program are theirs; messages from elsewhere are quoted, since any user may have written them.
func composed(instructions []string, before []line, message string) string {
	var b strings.Builder
	if text := strings.TrimSpace(strings.Join(instructions, "\n\n")); text != "" {
		b.WriteString("[Instructions for this message, from the program that sends it]\n" + text + "\n\n")
	}
	if quoted, left := quoted(before); quoted != "" {
		b.WriteString("[What was said before, as the program quotes it]\n")
		if left > 0 {
			fmt.Fprintf(&b, "> (%d older messages are left out)\n", left)
		}
		b.WriteString(quoted + "\n")
	}
	if b.Len() > 0 {
		b.WriteString("[The message]\n")
	}
	b.WriteString(message)
	return b.String()
}

// quoted quotes the newest messages, and counts the omitted ones.
func quoted(before []line) (text string, left int) {
	var blocks []string
	size := 0
	for i, l := range slices.Backward(before) {
		block := quote(l)
		if size += len(block); size > maxQuoted {
			left = i + 1
			break
		}
		blocks = append(blocks, block)
	}
	var b strings.Builder
	for _, block := range slices.Backward(blocks) {
		b.WriteString(block)
	}
	return b.String(), left
}

func quote(l line) string {
	text := strings.TrimSpace(l.text)
	if text == "" {
		return ""
	}
	return "> " + l.role + ": " + strings.ReplaceAll(strings.ReplaceAll(text, "\r", "\n"), "\n", "\n> ") + "\n"
}
