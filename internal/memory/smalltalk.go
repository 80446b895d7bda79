package memory

import (
	"slices"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/turn/window"
)

// DefaultRoom is how many characters of a conversation are memorized by default: about 25 000 tokens of English.
const DefaultRoom = 100_000

// resultRoom is how much of one result of a tool is memorized, in characters.
const resultRoom = 500

// lineRoom is how much of one message is memorized, in characters.
const lineRoom = 8_000

// Talk returns the conversation as the model that memorizes it reads it: the newest of it that fits, oldest first. It is data
// in a model's prompt, and cannot end the tag that holds it.
func (in MemorizeInput) Talk() string {
	left := in.Room
	if left <= 0 {
		left = DefaultRoom
	}
	lines := window.Transcript(in.Lines, resultRoom)
	var out []string
	for _, line := range slices.Backward(lines) {
		line = window.Abridge(line, lineRoom)
		if left -= utf8.RuneCountInString(line) + 1; left < 0 {
			out = append(out, "[The beginning is left out.]")
			break
		}
		out = append(out, line)
	}
	slices.Reverse(out)
	return strings.NewReplacer("</conversation>", "</conversation >").Replace(strings.Join(out, "\n"))
}

// Empty reports whether there is no message with content.
func (in MemorizeInput) Empty() bool {
	return !slices.ContainsFunc(in.Lines, func(l chat.Line) bool {
		return l.Message.Role != chat.RoleNotice && strings.TrimSpace(l.Message.Content) != ""
	})
}
