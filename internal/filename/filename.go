// Package filename makes names that strangers gave safe to create and to show.
package filename

import (
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName bounds a file name, in bytes. File systems allow 255; the rest is for numbers and temporary names.
const maxName = 200

// maxExtension is the longest ending, in bytes with its dot, that survives the shortening of a name.
const maxExtension = 24

// Safe makes a name that a client sent safe to create and to show: the part after the last separator, without
// control and direction characters, not hidden, not to be taken for a flag, at most 200 bytes. Letters of all scripts
// stay as they are.
func Safe(sent string) string {
	if i := strings.LastIndexAny(sent, `/\`); i >= 0 {
		sent = sent[i+1:]
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError:
			return '_'
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), directs(r):
			return -1
		}
		return r
	}, sent)
	name = strings.TrimRight(strings.TrimSpace(name), ". ")
	if name == "" {
		return "file"
	}
	if name[0] == '.' || name[0] == '-' || name[0] == '~' {
		name = "_" + name
	}
	return shorten(name, maxName)
}

// directs reports whether a character turns the direction of text around it, or cannot be seen: "exe.txt" may be read
// where "txt.exe" stands.
func directs(r rune) bool {
	return r == 0x061c || r == 0x200b || r == 0x200e || r == 0x200f || r == 0xfeff ||
		0x202a <= r && r <= 0x202e || 0x2060 <= r && r <= 0x206f
}

// shorten cuts the stem of a name, between characters.
func shorten(name string, limit int) string {
	if len(name) <= limit {
		return name
	}
	ending := path.Ext(name)
	if len(ending) > maxExtension {
		ending = ""
	}
	stem := name[:limit-len(ending)]
	for !utf8.ValidString(stem) {
		stem = stem[:len(stem)-1]
	}
	return strings.TrimRight(stem, ". ") + ending
}

// Numbered is the name to try when a name and the n-1 after it are taken: report-1.pdf, report-2.pdf ...
func Numbered(name string, n int) string {
	if n == 0 {
		return name
	}
	number, ending := "-"+strconv.Itoa(n), path.Ext(name)
	if len(ending) > maxExtension {
		ending = ""
	}
	return shorten(strings.TrimSuffix(name, ending), maxName-len(ending)-len(number)) + number + ending
}
