// Package text makes what others wrote safe to print on a terminal. Answers and outputs come from models, programs and
// files; none of them may move the cursor, recolour the screen or set the title.
package text

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Plain takes terminal sequences and control characters out of a text; line breaks and tabs stay. A line that was
// written over by carriage returns keeps what was written last.
func Plain(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.ContainsRune(s, '\x1b') {
		s = ansi.Strip(s)
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if strings.ContainsRune(s, '\r') {
		lines := strings.Split(s, "\n")
		for i, line := range lines {
			line = strings.TrimRight(line, "\r")
			lines[i] = line[strings.LastIndexByte(line, '\r')+1:]
		}
		s = strings.Join(lines, "\n")
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || isBidi(r)) {
			return -1
		}
		return r
	}, s)
}

// isBidi reports the characters that reorder the text around them, so that it would read as something else.
func isBidi(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// Line makes a text one safe line.
func Line(s string) string { return strings.Join(strings.Fields(Plain(s)), " ") }

// Lasted formats a duration for users: 0.3 s, 12 s, 3 min 5 s.
func Lasted(d time.Duration) string {
	switch d = max(d, 0); {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	default:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
}
