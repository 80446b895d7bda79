package window

import (
	"strconv"
	"strings"
)

// excerpt summarizes an unknown text: its beginning and its end.
func (s *sketch) excerpt(content string) {
	s.ends(content, 12, 8, 100)
}

// ends shows the first and the last lines of a text within a share of the space, in percent. Of a text of a few long lines it shows the first
// and the last characters.
func (s *sketch) ends(content string, head, tail, percent int) {
	total := lineCount(content)
	if total <= 3 {
		half := max(0, s.room*percent/200-40)
		s.line("%s", beginning(content, half))
		s.line("[…]")
		s.line("%s", ending(content, half))
		return
	}
	if total <= head+tail {
		head, tail = total/2, total-total/2
	}
	s.lines(percent/2, firstLines(content, head))
	if left := total - head - tail; left > 0 {
		s.line("[… %d lines …]", left)
	}
	s.lines(percent/2, lastLines(content, tail))
}

func firstLines(text string, n int) []string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if len(out) == n {
			break
		}
		out = append(out, line)
	}
	return out
}

func lastLines(text string, n int) []string {
	text = strings.TrimSuffix(text, "\n")
	start := len(text)
	for range n {
		i := strings.LastIndexByte(text[:start], '\n')
		if i < 0 {
			return strings.Split(text, "\n")
		}
		start = i
	}
	return strings.Split(text[start+1:], "\n")
}

// beginning returns up to n characters from the start of a text, and ending those from its end.
func beginning(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

func ending(text string, n int) string {
	text = text[max(0, len(text)-4*n):]
	if over := len([]rune(text)) - n; over > 0 {
		return text[len(beginning(text, over)):]
	}
	return text
}

// numberedLine splits "12<tab>text", as Read shows a file.
func numberedLine(line string) (number, text string, ok bool) {
	number, text, ok = strings.Cut(line, "\t")
	if !ok || len(number) > 9 {
		return "", line, false
	}
	if _, err := strconv.Atoi(number); err != nil {
		return "", line, false
	}
	return number, text, true
}
