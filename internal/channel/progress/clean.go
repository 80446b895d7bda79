package progress

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

const (
	// outputColumns is how wide a line of output is shown.
	outputColumns = 100
	// outputBytes is how much of an output is read, from its end.
	outputBytes = 8 << 10
)

// clean returns a text on one line of at most so many columns, without terminal controls.
func clean(text string, columns int) string {
	text = strings.Join(strings.Fields(printable(ansi.Strip(strings.ToValidUTF8(text, "\uFFFD")))), " ")
	return ansi.Truncate(text, columns, "…")
}

// lastLines returns the last non-empty lines of an output. Of a line that was overwritten, as by progress bars, the newest text
// counts.
func lastLines(output string, most int) string {
	if len(output) > outputBytes {
		output = output[len(output)-outputBytes:]
		if _, rest, more := strings.Cut(output, "\n"); more {
			output = rest
		}
	}
	output = strings.ReplaceAll(ansi.Strip(strings.ToValidUTF8(output, "")), "\r\n", "\n")
	var lines []string
	for line := range strings.SplitSeq(output, "\n") {
		line = strings.TrimRight(line, "\r \t")
		if i := strings.LastIndexByte(line, '\r'); i >= 0 {
			line = line[i+1:]
		}
		if line = ansi.Truncate(printable(line), outputColumns, "…"); strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}

// printable takes out control characters; tabs become blanks.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, text)
}

// longestRun returns the length of the longest run of backquotes.
func longestRun(text string) (longest int) {
	run := 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
