package memory

import (
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/turn/window"
)

// Fit returns how many lines of the beginning of a conversation are memorized at once: those that Talk shows whole in that
// many characters, at least one that has a row.
func Fit(lines []chat.Line, room int) int {
	for i := range lines {
		for _, line := range window.Transcript(lines[i:i+1], resultRoom) {
			room -= utf8.RuneCountInString(window.Abridge(line, lineRoom)) + 1
		}
		if room < 0 && i > 0 && lines[i-1].Message.ID != 0 {
			return i
		}
	}
	return len(lines)
}
