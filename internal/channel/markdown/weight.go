package markdown

import (
	"regexp"
	"strings"
)

// Limits of a text that is parsed as Markdown. Beyond them the time to parse it, or the size of the output, grows with the square of its length. The
// page has the same limits (web/src/markdown/weight.ts).
const (
	maxDepth   = 32        // quotes and lists that one line opens
	maxIndent  = 200       // blanks before the mark of a list
	maxMarks   = 2000      // marks of emphasis, code, links and entities in one paragraph
	maxCells   = 50_000    // cells of all tables, including missing ones of short rows
	maxRepeats = 4_000_000 // bytes of repeated table headers and of link addresses behind references
)

// Heavy reports whether a text would take too long to parse as Markdown. Callers leave such a text unchanged.
func Heavy(text string) bool {
	var w weight
	for line := range strings.Lines(text) {
		if w.add(strings.TrimRight(line, "\r\n")) {
			return true
		}
	}
	return w.defines && w.longest*w.brackets > maxRepeats
}

// weight is the state after the lines so far.
type weight struct {
	code    string // the fence that is open
	html    bool   // a line began like HTML, so that fences may be a part of it
	before  string // the last line
	columns int    // of the current table; 0: none
	quotes  int    // quote depth of the table
	head    int    // bytes of its header
	marks   int    // of the current paragraph

	cells, repeats    int
	longest, brackets int
	defines           bool // the text defines an address or a footnote
}

var (
	// opened matches the marks of quotes and lists at the beginning of a line.
	opened = regexp.MustCompile(`^(?:[ \t]*(?:>|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)))+`)
	// opener matches one of them.
	opener = regexp.MustCompile(`[-+*>]|\d{1,9}[.)]`)
	// margin matches an opening code fence at the margin.
	margin = regexp.MustCompile("^(?:(`{3,})[^`]*$|(~{3,}))")
	// item matches the mark of a list that does not continue a paragraph.
	item = regexp.MustCompile(`^ {0,3}[-+*][ \t]+\S`)
)

// marked has the characters at which a Markdown parser looks back or ahead.
const marked = "*_~[]!`<&:@"

// add processes a line, and reports whether a limit is reached.
func (w *weight) add(line string) (over bool) {
	if w.fenced(line) {
		return false
	}
	text := strings.TrimLeft(line, " \t")
	prefix := opened.FindString(line)
	if indent := len(line) - len(text); prefix != "" && indent > maxIndent || len(opener.FindAllStringIndex(prefix, maxDepth+1)) > maxDepth {
		return true
	}
	w.row(line, text, prefix)
	if text == "" || w.columns > 0 || item.MatchString(line) {
		w.marks = 0
	}
	for i := range len(line) {
		if strings.IndexByte(marked, line[i]) >= 0 {
			w.marks++
		}
	}
	w.longest = max(w.longest, len(line))
	w.brackets += strings.Count(line, "[")
	w.defines = w.defines || strings.Contains(line, "]:")
	w.before = line
	return w.marks > maxMarks || w.cells > maxCells || w.repeats > maxRepeats
}

// fenced reports whether a line is code between fences at the margin, which no surrounding block ends.
func (w *weight) fenced(line string) bool {
	if w.code != "" {
		text := strings.TrimLeft(line, " ")
		if len(line)-len(text) <= 3 && strings.HasPrefix(text, w.code) && strings.Trim(text, w.code[:1]+" \t") == "" {
			w.code = ""
		}
		return true
	}
	if open := margin.FindStringSubmatch(line); open != nil && !w.html {
		w.code, w.columns, w.marks = open[1]+open[2], 0, 0
		return true
	}
	w.html = w.html || strings.HasPrefix(strings.TrimLeft(line, " >"), "<")
	return false
}

// row counts the cells of a table.
func (w *weight) row(line, text, prefix string) {
	quotes := strings.Count(prefix, ">")
	switch {
	case strings.Contains(line, "-") && strings.Trim(line, "|:- >\t") == "" && strings.Contains(line+w.before, "|"): // below the header
		w.columns, w.head, w.quotes = strings.Count(line, "|")+1, len(w.before), quotes
	case !strings.Contains(line, "|") || quotes != w.quotes || strings.Trim(prefix, " >\t") != "" || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "<"):
		w.columns = 0
	}
	if w.columns > 0 {
		w.cells += w.columns
		w.repeats += w.head
	}
}
