package window

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	maxTroubles     = 14  // lines that report a failure
	maxTroubleBytes = 500 // bytes of a line that are searched
)

// trouble matches lines that explain the failure of a command.
var trouble = regexp.MustCompile(`(?i)\b(errors?|fail(ed|ure|s|ing)?|fatal|panic(ked)?|exception|traceback|undefined|cannot|can't|unable|denied|refused|not found|no such|segmentation fault|abort(ed)?|killed|timed out|timeout)\b|错误|失败|异常|无法`)

// hints are parts of the words of trouble, to skip most lines cheaply.
var hints = []string{
	"error", "fail", "fatal", "panic", "exception", "traceback", "undefined", "cannot", "can't", "unable", "denied", "refused", "not found",
	"no such", "segmentation", "abort", "killed", "timed", "timeout", "错误", "失败", "异常", "无法",
}

// troubled reports whether a line reports a failure.
func troubled(line string) bool {
	lower := strings.ToLower(line)
	return slices.ContainsFunc(hints, func(h string) bool { return strings.Contains(lower, h) }) && trouble.MatchString(line)
}

// output summarizes the output of a command: its first lines, those that report a failure, unchanged, and its last ones, of which the very
// last shows how it ended.
func (s *sketch) output(content string) {
	if lineCount(content) <= 3 {
		s.excerpt(content)
		return
	}
	total := lineCount(content)
	const head, tail = 3, 10
	s.lines(15, firstLines(content, head))
	if lines, more := troubles(content, head, total-tail); len(lines) > 0 {
		s.line("[… lines that speak of a failure:]")
		s.lines(45, lines)
		if more > 0 {
			s.line("[… and %d more such lines]", more)
		}
	}
	if left := total - head - tail; left > 0 {
		s.line("[… the last %d of %d lines:]", tail, total)
	}
	s.lines(40, lastLines(content, min(tail, max(0, total-head))))
}

// troubles returns the lines from one on and before another, both counted from 0, that report a failure: each once, with its number, the
// first ones and how many more there are.
func troubles(content string, from, to int) (lines []string, more int) {
	seen := map[string]bool{}
	n := -1
	for line := range strings.SplitSeq(content, "\n") {
		if n++; n < from || n >= to {
			continue
		}
		part := line[:min(len(line), maxTroubleBytes)]
		if !troubled(part) || seen[part] {
			continue
		}
		if len(lines) == maxTroubles {
			more++
			continue
		}
		seen[part] = true
		lines = append(lines, fmt.Sprintf("%d: %s", n+1, line))
	}
	return lines, more
}
