package command

import (
	"slices"
	"strings"
	"unicode"
)

// Shortcuts removes commands that only read from a message in which they are separate words: of "hey /status, how is it going" it removes
// nothing, of "hey /status how is it going" it leaves "hey how is it going". Text between backticks is code and left alone. name returns the
// name of a command to remove, empty for all others. A text without shortcuts is returned unchanged; without other text, rest is empty.
func Shortcuts(text string, name func(typed string) string) (names []string, rest string) {
	var kept strings.Builder
	code := "" // the backticks that open the current code
	from := 0  // start of the uncopied text
	for at := 0; at < len(text); at += span(text[at:], unicode.IsSpace) {
		start := at
		at += span(text[at:], func(r rune) bool { return !unicode.IsSpace(r) })
		word := text[start:at]
		taken := ""
		if code == "" {
			taken = shortcut(word, name)
		}
		code = backticks(word, code)
		if taken == "" {
			continue
		}
		if !slices.Contains(names, taken) {
			names = append(names, taken)
		}
		kept.WriteString(text[from:start])
		from = at + gap(text[at:])
	}
	if len(names) == 0 {
		return nil, text
	}
	kept.WriteString(text[from:])
	return names, strings.TrimSpace(kept.String())
}

// shortcut returns the command that a word is, and only is.
func shortcut(word string, name func(typed string) string) string {
	c, after, ok := head(word)
	if !ok || after != "" || strings.HasSuffix(word, ":") || strings.HasSuffix(word, "：") {
		return ""
	}
	return name(c.Name)
}

// gap counts the white space removed together with a word. Lines stay lines.
func gap(after string) int {
	n := span(after, unicode.IsSpace)
	if strings.ContainsRune(after[:n], '\n') {
		return 0
	}
	return n
}

// backticks returns the code that is open after a word, given the one before it.
func backticks(word, open string) string {
	for {
		start := strings.IndexByte(word, '`')
		if start < 0 {
			return open
		}
		n := span(word[start:], func(r rune) bool { return r == '`' })
		switch fence := word[start : start+n]; open {
		case "":
			open = fence
		case fence:
			open = ""
		}
		word = word[start+n:]
	}
}
