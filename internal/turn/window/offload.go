package window

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
)

// A result of at least this size is offloaded.
const (
	OffloadTokens = 2000
	OffloadBytes  = 10240
)

const (
	maxSketch     = 3000 // characters of a summary
	maxSketchLine = 500  // characters of a line in it
	maxSketchArg  = 120  // characters of the argument in its first line
)

// Offload returns the summary that replaces the result of a call in the conversation, and whether the result is too large for it. The summary
// is shorter than the content, valid UTF-8, and names the id that recalls the whole. Tokens is the size of the content; it may be unknown for
// less than OffloadTokens bytes.
func Offload(call chat.ToolCall, content string, tokens int) (summary string, ok bool) {
	if len(content) < OffloadBytes && tokens < OffloadTokens || keepsWhole(call) {
		return "", false
	}
	s := newSketch(content)
	s.head(call, content)
	switch call.Name {
	case "Read":
		s.read(readPath(call.Arguments), content)
	case "Grep":
		s.grep(content)
	case "Glob":
		s.glob(content)
	case "Shell", "task_read", "task_wait":
		s.output(content)
	default:
		s.excerpt(content)
	}
	return s.text(), true
}

// OffloadID returns the id of the offloaded result of a call: always the same, so that a repeated call has one.
func OffloadID(call chat.CallID) string {
	sum := sha256.Sum256([]byte(call))
	return "ol_" + hex.EncodeToString(sum[:5])
}

// OffloadMark returns the beginning of the summary of an offloaded result.
func OffloadMark(id string) string { return "📂 [offload:" + id + "]" }

// keepsWhole reports whether the result of a call stays in the conversation at any size: recalled results, which would otherwise become
// summaries again forever, and results that were requested piece by piece.
func keepsWhole(call chat.ToolCall) bool {
	switch name := strings.ToLower(call.Name); {
	case slices.Contains([]string{"offload_recall", "recall_masked", "context_edit", "skill"}, name):
		return true
	case strings.HasPrefix(name, "memory"):
		return true
	}
	return call.Name == "Read" && readsPart(call.Arguments)
}

// readArguments is the arguments of Read, as loosely as models write them. Keys match in any case.
type readArguments struct {
	Path     any `json:"path"`
	Offset   any `json:"offset"`
	MaxLines any `json:"max_lines"`
}

func readsPart(arguments string) bool {
	var a readArguments
	if json.Unmarshal([]byte(arguments), &a) != nil {
		return false
	}
	return !slices.Contains([]string{"", "0", "1", "<nil>"}, fmt.Sprint(a.Offset)) ||
		!slices.Contains([]string{"", "0", "<nil>"}, fmt.Sprint(a.MaxLines))
}

func readPath(arguments string) string {
	var a readArguments
	if json.Unmarshal([]byte(arguments), &a) != nil {
		return ""
	}
	name, _ := a.Path.(string) // a value that is no text names no file
	return name
}

// sketch is a summary being written.
type sketch struct {
	b     strings.Builder
	room  int // characters for excerpts, of which each section takes a share
	spare int // characters that earlier sections did not use
	bytes int // remaining; a summary is never longer than half of the text that it replaces
}

func newSketch(content string) *sketch {
	runes := utf8.RuneCountInString(content)
	return &sketch{room: min(maxSketch, runes/2), bytes: len(content) / 2}
}

func (s *sketch) head(call chat.ToolCall, content string) {
	id := OffloadID(call.ID)
	what := strings.TrimSpace(cutLine(call.Name, maxSketchLine/10) + " " + cutLine(call.Summary, maxSketchArg))
	s.line("%s %s · %d lines, %s", OffloadMark(id), what, lineCount(content), byteCount(len(content)))
	s.line("This is a summary. offload_recall(id=%q, offset, limit) shows the whole, by characters.", id)
	s.room -= utf8.RuneCountInString(s.b.String())
}

// line adds a line as far as it fits.
func (s *sketch) line(format string, args ...any) {
	text := strings.ToValidUTF8(fmt.Sprintf(format, args...), "\uFFFD")
	if len(text) >= s.bytes {
		text = strings.ToValidUTF8(text[:max(0, s.bytes-1)], "")
	}
	if text == "" {
		return
	}
	s.bytes -= len(text) + 1
	s.b.WriteString(text)
	s.b.WriteByte('\n')
}

// lines adds lines that together take at most a share of the space, in percent, and the unused rest of earlier sections, each cut to its part
// of it.
func (s *sketch) lines(percent int, lines []string) {
	if len(lines) == 0 {
		return
	}
	room := s.room*percent/100 + s.spare
	for i, text := range lines {
		width := min(maxSketchLine, room/(len(lines)-i)) // the next line gets the unused rest of a short one
		if width < 2 {
			continue
		}
		text = cutLine(text, width)
		room -= utf8.RuneCountInString(text) + 1
		s.line("%s", text)
	}
	s.spare = max(0, room)
}

func (s *sketch) text() string { return strings.TrimSuffix(s.b.String(), "\n") }

// cutLine cuts a line to at most limit characters, the last of which is then an ellipsis.
func cutLine(text string, limit int) string {
	if len(text) > 4*limit {
		text = text[:4*limit] + "…" // enough for limit characters and one more
	}
	text = strings.ToValidUTF8(strings.TrimSuffix(text, "\r"), "\uFFFD")
	runes := 0
	for i := range text {
		if runes++; runes == limit && utf8.RuneCountInString(text[i:]) > 1 {
			return text[:i] + "…"
		}
	}
	return text
}

// lineCount counts lines; the last one need not end with a line break.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// byteCount formats a size for display.
func byteCount(n int) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/1_000_000)
	}
}
