package format

import (
	"net/url"
	"path"
	"regexp"
	"strings"
)

// FileLink is an image or a link of an answer whose target is a path and no address, or a mark <<FILE:path>>.
type FileLink struct {
	Label string
	Path  string // as it is written, without escapes
	from  int    // bytes of the text
	to    int
}

// Name returns the text that a user reads in place of the link.
func (l FileLink) Name() string {
	base := path.Base(l.Path)
	switch label := strings.TrimSpace(l.Label); {
	case label == "" || label == l.Path:
		return base
	case strings.Contains(label, base):
		return label
	default:
		return label + " (" + base + ")"
	}
}

// FileLinks finds the images, links and marks of an answer that lead to files, in order, outside of code. A link must close
// on its line.
func FileLinks(text string) []FileLink {
	var out []FileLink
	at := 0
	for _, part := range prose(text) {
		last := part.from + strings.LastIndex(text[part.from:part.to], "](") // behind it no label ends
		for i := part.from; i < part.to; {
			open := strings.IndexAny(text[i:part.to], "[<")
			if open < 0 {
				break
			}
			i += open
			var l FileLink
			ok := false
			switch {
			case text[i] == '<':
				l, ok = fileMarkAt(text[:part.to], i)
			case i < last:
				l, ok = fileLinkAt(text[:part.to], i)
			}
			if !ok {
				i++
				continue
			}
			if text[i] == '[' && l.from > at && text[l.from-1] == '!' && !escaped(text, l.from-1) {
				l.from--
			}
			out, at, i = append(out, l), l.to, l.to
		}
	}
	return out
}

// Unlinked replaces each link to a file by the result of name.
func Unlinked(text string, links []FileLink, name func(FileLink) string) string {
	var b strings.Builder
	at := 0
	for _, l := range links {
		b.WriteString(text[at:l.from] + name(l))
		at = l.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// span is a part of a text, in bytes.
type span struct{ from, to int }

// prose returns the parts of a text that are not code.
func prose(text string) (out []span) {
	closing, at := "", 0
	for line := range strings.Lines(text) {
		from := at
		at += len(line)
		m := fence.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		switch {
		case m != nil && closing == "":
			closing = m[2]
		case m != nil && strings.HasPrefix(m[2], closing) && strings.TrimSpace(m[3]) == "":
			closing = ""
		case closing == "":
			out = append(out, uncoded(text, span{from, at})...)
		}
	}
	return out
}

// uncoded returns the parts of a line that are not between backticks.
func uncoded(text string, line span) (out []span) {
	for at := line.from; at < line.to; {
		tick := strings.IndexByte(text[at:line.to], '`')
		if tick < 0 {
			return append(out, span{at, line.to})
		}
		open := at + tick
		rest := text[open:line.to]
		ticks := rest[:len(rest)-len(strings.TrimLeft(rest, "`"))]
		end := strings.Index(rest[len(ticks):], ticks)
		if end < 0 {
			return append(out, span{at, line.to})
		}
		out = append(out, span{at, open})
		at = open + len(ticks) + end + len(ticks)
	}
	return out
}

// fileLinkAt reads the link whose label opens at a place.
func fileLinkAt(text string, open int) (FileLink, bool) {
	if escaped(text, open) {
		return FileLink{}, false
	}
	shut := closes(text, open, '[', ']')
	if shut < 0 || shut+1 >= len(text) || text[shut+1] != '(' {
		return FileLink{}, false
	}
	end := closes(text, shut+1, '(', ')')
	if end < 0 {
		return FileLink{}, false
	}
	target, ok := pathOf(text[shut+2 : end])
	return FileLink{Label: text[open+1 : shut], Path: target, from: open, to: end + 1}, ok
}

// fileMark begins a mark that sends a file; maxMark is how long the path in it may be, in bytes.
const (
	fileMark = "<<FILE:"
	maxMark  = 1000
)

// fileMarkAt reads the mark that begins at a place.
func fileMarkAt(text string, open int) (FileLink, bool) {
	rest, ok := strings.CutPrefix(text[open:], fileMark)
	if !ok {
		return FileLink{}, false
	}
	end := strings.IndexAny(rest[:min(len(rest), maxMark+1)], "<>\r\n\x00")
	if end < 0 || !strings.HasPrefix(rest[end:], ">>") {
		return FileLink{}, false
	}
	target := strings.TrimSpace(rest[:end])
	if target == "" || strings.HasSuffix(target, "/") || scheme.MatchString(target) || strings.HasPrefix(target, "//") {
		return FileLink{}, false
	}
	return FileLink{Path: target, from: open, to: open + len(fileMark) + end + len(">>")}, true
}

// maxBracket is how far a label and a target reach at most, in bytes.
const maxBracket = 4096

// closes finds the bracket that closes the one at a place; -1: none does on the line.
func closes(text string, open int, left, right byte) int {
	depth := 0
	for i := open; i < min(len(text), open+maxBracket) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			if i+1 < len(text) && text[i+1] != '\n' {
				i++ // skip the link itself
			}
		case left:
			depth++
		case right:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func escaped(text string, at int) bool {
	before := text[:at]
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}

var (
	titled  = regexp.MustCompile(`\s+("[^"]*"|'[^']*')\s*$`)
	scheme  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	lineRef = regexp.MustCompile(`#L\d+(-L?\d+)?$`)
)

// pathOf returns the path in the target of a link. An address, a place in the text and a mention have none.
func pathOf(target string) (string, bool) {
	target = strings.TrimSpace(titled.ReplaceAllString(target, ""))
	if inner, ok := strings.CutPrefix(target, "<"); ok {
		target = strings.TrimSuffix(inner, ">")
	}
	if rest, ok := strings.CutPrefix(target, "file://"); ok {
		target = rest
	}
	switch {
	case scheme.MatchString(target), strings.HasPrefix(target, "//"), strings.HasPrefix(target, "#"), strings.HasPrefix(target, "?"):
		return "", false
	}
	target = lineRef.ReplaceAllString(target, "")
	if plain, err := url.PathUnescape(target); err == nil {
		target = plain
	}
	if target = strings.ReplaceAll(target, `\`, ""); target == "" || strings.ContainsAny(target, "\x00\r\n") || strings.HasSuffix(target, "/") {
		return "", false
	}
	return target, true
}
