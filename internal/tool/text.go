package tool

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxSummary = 200 // characters

// OneLine shows text on one line of at most limit characters: white space is collapsed, what cannot be printed is
// left out, and an ellipsis replaces what was cut.
func OneLine(text string, limit int) string {
	// A summary needs only the beginning; a file's whole content is not worth walking through.
	if longest := limit * 8; len(text) > longest {
		text = text[:longest]
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	return Cut(strings.Join(strings.Fields(text), " "), limit)
}

// Cut shortens text to at most limit characters, the last of which is then an ellipsis.
func Cut(text string, limit int) string {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := 0
	for i := range text {
		if runes++; runes == limit {
			return text[:i] + "…"
		}
	}
	return text
}

// Bound keeps the head and the tail of a text of more than limit bytes, whole lines where lines are short, with a
// line between them that gives the number of bytes left out.
func Bound(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head, tail := text[:limit*2/3], text[len(text)-limit/3:]
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		head = head[:i]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	}
	head, tail = strings.ToValidUTF8(head, ""), strings.ToValidUTF8(tail, "")
	left := len(text) - len(head) - len(tail)
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", strings.TrimSuffix(head, "\n"), left, tail)
}

// Count writes a number with its noun: 1 line, 2 lines, 3 matches.
func Count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "ch"):
		return fmt.Sprintf("%d %ses", n, noun)
	default:
		return fmt.Sprintf("%d %ss", n, noun)
	}
}
