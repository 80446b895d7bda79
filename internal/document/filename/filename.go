// Package filename makes names from outsiders safe to create and to show.
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
// control, direction and invisible characters, not hidden, not to be taken for a flag, at most 200 bytes. Letters of all scripts
// stay as they are.
func Safe(sent string) string {
	if i := strings.LastIndexAny(sent, `/\`); i >= 0 {
		sent = sent[i+1:]
	}
	var before rune
	name := strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError:
			r = '_'
		case unicode.IsSpace(r):
			r = ' '
		case unicode.IsControl(r), invisible(r, before):
			return -1
		}
		before = r
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

// invisible reports whether a character is invisible, or reverses the direction of text, by which "txt.exe" can look like "exe.txt". Joiners and
// variation selectors are allowed after letters of other scripts and emoji, and not after ASCII.
func invisible(r, before rune) bool {
	switch r {
	case 0x200c, 0x200d, 0xfe0e, 0xfe0f:
		return before < utf8.RuneSelf
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
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

// Numbered returns the name to try when a name and the n-1 after it are taken: report-1.pdf, report-2.pdf ...
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
