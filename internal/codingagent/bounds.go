package codingagent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the output that a driver passes on. The output of an agent is untrusted.
const (
	MaxLine    = 10 << 20 // bytes of a line; a longer one is ignored
	maxTitle   = 200      // runes
	maxSubject = 800      // runes; with the text around it, it fits a question to a user (chat.MaxInquiryText)
	maxOutput  = 4 << 10  // bytes
	maxFiles   = 50
	maxError   = 2000 // runes
	maxOpen    = 1000 // requests, works and messages that are remembered at once
)

// Encode returns a value as one line of JSON. Values are the drivers' own, so they can be encoded.
func Encode(value any) []byte {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return []byte("{}")
	}
	return bytes.TrimSuffix(line.Bytes(), []byte("\n"))
}

// Decode reads the output of an agent into v and reports whether it is JSON. A field of another type than v has keeps its zero
// value. Requests for an approval are read with json.Unmarshal: one that cannot be read in whole is refused.
func Decode(data []byte, v any) bool {
	err := json.Unmarshal(data, v)
	_, other := errors.AsType[*json.UnmarshalTypeError](err)
	return err == nil || other
}

// Title makes one line of at most 200 characters.
func Title(text string) string { return clip(strings.Join(strings.Fields(plain(text)), " "), maxTitle) }

// Subject bounds the subject of an approval, at 800 characters, and keeps its lines: in one line a comment would hide the text below it.
// Invisible characters are written out: with them a user would permit something other than they read.
func Subject(text string) string { return clip(strings.TrimSpace(visible(text)), maxSubject) }

// Whole reports whether a user sees all of what they are asked to approve. A cut or unnamed subject must not be approved.
func (a Approval) Whole() bool { return a.Title != "" && !strings.HasSuffix(a.Title, cut) }

// cut replaces the removed rest of a text.
const cut = "…"

// Paragraph makes one paragraph of at most 2000 characters, for an error.
func Paragraph(text string) string {
	return clip(strings.Join(strings.Fields(plain(text)), " "), maxError)
}

// Output returns the end of an output, at most 4 kB, in whole characters.
func Output(text string) string {
	if len(text) > maxOutput {
		text = text[len(text)-maxOutput:]
	}
	return plain(strings.ToValidUTF8(text, ""))
}

// faults matches lines that explain why a program ended, and notices lines that do not.
var (
	faults  = regexp.MustCompile(`(?i)\b(error|fatal|panic|panicked|exception|failed|failure|cannot|could not|unable|denied|refused|invalid|unknown|unexpected|no such|not found|not logged in|out of memory|killed|segmentation fault)\b|[A-Za-z]Error\b`)
	notices = regexp.MustCompile(`(?i)^\W*(\S*\d\d:\d\d\S*\s+)?\W*(warn|warning|info|debug|trace|notice|note|deprecat\w*)\b|Warning:|^\s+at `)
)

// Complaint returns the last line a program wrote to stderr that explains why it ended, as a title; empty: there is none.
func Complaint(stderr []byte) string {
	lines := strings.Split(plain(strings.ToValidUTF8(string(stderr), "")), "\n")
	for _, line := range slices.Backward(lines) {
		if faults.MatchString(line) && !notices.MatchString(line) {
			return Title(line)
		}
	}
	return ""
}

// unseen reports whether a character controls a terminal or the direction of a line, or has no width, so that users do not see it.
func unseen(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r >= 0x200b && r <= 0x200f && r != 0x200d, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x2069, r == 0x061c, r == 0xfeff:
		return true
	}
	return unicode.IsControl(r)
}

// escapes are the sequences by which programs control a terminal: colours, positions, titles and links.
var escapes = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[PX^_][^\x1b]*(?:\x1b\\\\)?|\x1b[ -/]*[0-~]")

// plain removes invisible characters.
func plain(text string) string {
	text = escapes.ReplaceAllString(text, "")
	return strings.Map(func(r rune) rune {
		if unseen(r) {
			return -1
		}
		return r
	}, text)
}

// visible writes out invisible characters.
func visible(text string) string {
	if strings.IndexFunc(text, unseen) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unseen(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Files returns at most 50 names, each once.
func Files(names ...string) []string {
	var files []string
	seen := map[string]bool{}
	for _, name := range names {
		if name == "" || seen[name] || len(files) == maxFiles {
			continue
		}
		seen[name] = true
		files = append(files, Title(name))
	}
	return files
}

func clip(text string, runes int) string {
	text = strings.ToValidUTF8(text, "")
	if utf8.RuneCountInString(text) <= runes {
		return text
	}
	return string([]rune(text)[:runes-1]) + cut
}

// Remembered is a map that keeps all entries and takes at most a thousand, for the open items of an agent.
type Remembered[V any] map[string]V

// Put remembers a value. It returns false if there are too many.
func (m Remembered[V]) Put(key string, value V) bool {
	if _, known := m[key]; !known && len(m) >= maxOpen {
		return false
	}
	m[key] = value
	return true
}

// CommandLine writes words for a shell.
func CommandLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}
