package window

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
)

// Transcript bounds, in runes.
const (
	// MaxResult is the part of a result that the writer of a summary reads.
	MaxResult    = 2000
	maxArguments = 800
)

// Transcript writes lines as text for the writer of a summary, one text per line. Results are cut to the given number of runes; their recall
// ids stay.
func Transcript(lines []chat.Line, result int) []string {
	out := make([]string, 0, len(lines))
	for _, l := range lines {
		if text := written(l, result); text != "" {
			out = append(out, text)
		}
	}
	return out
}

func written(l chat.Line, result int) string {
	m := l.Message
	var b strings.Builder
	switch {
	case m.Role == chat.RoleUser && m.Origin == chat.OriginContext:
		b.WriteString("[EARLIER SUMMARY]\n" + m.Content)
	case m.Role == chat.RoleUser && m.Origin == chat.OriginBackground:
		b.WriteString("[BACKGROUND TASK] " + m.Content)
	case m.Role == chat.RoleUser && chat.IsSystemOrigin(m.Origin):
		b.WriteString("[" + strings.ToUpper(m.Origin) + "] " + m.Content)
	case m.Role == chat.RoleUser:
		b.WriteString("[USER] " + strings.TrimSpace(l.Preface+" "+m.Content))
	case m.Role == chat.RoleAssistant:
		b.WriteString("[ASSISTANT] " + l.ContentForModel())
	default:
		return ""
	}
	for _, c := range m.ToolCalls {
		fmt.Fprintf(&b, "\n[CALL %s] %s", c.Name, Abridge(c.Arguments, maxArguments))
		if c.IsError {
			b.WriteString("\n[FAILED] ")
		} else {
			b.WriteString("\n[RESULT] ")
		}
		b.WriteString(abridgeKeeping(c, result))
	}
	return tags.Replace(b.String())
}

// tags breaks the tags that would end the transcript.
var tags = strings.NewReplacer("<transcript>", "<transcript >", "</transcript>", "</transcript >", "</summary>", "</summary >")

// abridgeKeeping cuts a result but not its recall ids.
func abridgeKeeping(c chat.ToolCall, result int) string {
	if c.State != chat.CallDone {
		return "(outcome unknown)"
	}
	text := Abridge(c.Result, result)
	for _, id := range idsOf(c) {
		if !strings.Contains(text, id) {
			text += " [" + id + "]"
		}
	}
	return text
}

// idsOf returns the ids that recall the hidden parts of a result. An id in the text of a file or the output of a command is not ours, unless
// it is in a position where we write ids.
func idsOf(c chat.ToolCall) []string {
	var out []string
	if c.Offload != "" {
		out = append(out, c.Offload)
	}
	if strings.HasPrefix(c.Result, "📂") || strings.HasPrefix(c.Result, "⚠️") {
		for _, id := range Recallable(c.Result) {
			if id != c.Offload {
				out = append(out, id)
			}
		}
	}
	return out
}

// Abridge shows the beginning and the end of a text that is longer than n runes, and how much is omitted.
func Abridge(text string, n int) string {
	total := utf8.RuneCountInString(text)
	if total <= n {
		return text
	}
	if n <= 0 {
		return fmt.Sprintf("(%d characters)", total)
	}
	runes := []rune(text)
	tail := n / 4
	return fmt.Sprintf("%s … (%d characters left out) … %s", string(runes[:n-tail]), total-n, string(runes[total-tail:]))
}

// Chunks joins texts to chunks of at most limit tokens by size. A text that is larger is cut into several.
func Chunks(texts []string, limit int, size func(string) int) []string {
	var out []string
	var b strings.Builder
	used := 0
	flush := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
			used = 0
		}
	}
	for _, text := range texts {
		for _, piece := range pieces(text, limit, size) {
			n := size(piece) + 1
			if used+n > limit {
				flush()
			}
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(piece)
			used += n
		}
	}
	flush()
	return out
}

// pieces halves a text until each part fits.
func pieces(text string, limit int, size func(string) int) []string {
	if size(text) < limit || len(text) < 64 {
		return []string{text}
	}
	half := len(text) / 2
	for !utf8.RuneStart(text[half]) {
		half--
	}
	return append(pieces(text[:half], limit, size), pieces(text[half:], limit, size)...)
}
