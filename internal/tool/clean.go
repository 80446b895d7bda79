package tool

import (
	"regexp"
	"strings"
	"unicode"
)

// escapes are the terminal sequences of ECMA-48 that programs print: CSI (colours, cursor), OSC (titles, links; ended
// by BEL or ST), and the short ones.
var escapes = regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]")

// Clean makes what a command printed readable as plain text: terminal sequences are taken out, a line that was
// written over by carriage returns keeps what was written last, as a terminal shows progress bars, and bytes that are
// not UTF-8 become U+FFFD.
func Clean(output []byte) string {
	text := strings.ToValidUTF8(string(output), "\uFFFD")
	text = escapes.ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.ContainsRune(text, '\r') {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			lines[i] = overwritten(line)
		}
		text = strings.Join(lines, "\n")
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// overwritten returns the last piece of a line that is not blank.
func overwritten(line string) string {
	line = strings.TrimRight(line, "\r")
	return line[strings.LastIndexByte(line, '\r')+1:]
}
