package file

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"xbot/internal/fault"
	"xbot/internal/tool"
)

// How far the search for a near match goes, and how much of it is shown.
const (
	maxHintLines = 20_000
	shownLines   = 8
	minLikeness  = 0.5 // share of common letter pairs below which a line is no hint
)

// notFoundInFile reports that old_string is not there, and shows the place that looks most like it, so that the model
// can correct itself without reading the whole file again.
func notFoundInFile(content string, from, to int, p replaceParams) error {
	where := "the file"
	if from > 0 || to < len(content) {
		where = fmt.Sprintf("lines %d to %d", max(p.StartLine, 1), countLines(content[:to]))
		if !p.Regex && strings.Contains(content, p.OldString) {
			return fault.Errorf(fault.NotFound, "old_string does not occur in %s, but elsewhere in the file", where)
		}
	}
	if p.Regex {
		return fault.Errorf(fault.NotFound, "the expression matches nothing in %s", where)
	}
	first := 1 + strings.Count(content[:from], "\n")
	lines := strings.Split(content[from:to], "\n")
	line, spaces := nearest(lines, strings.Split(strings.TrimSuffix(p.OldString, "\n"), "\n"))
	if line < 0 {
		return fault.Errorf(fault.NotFound, "old_string does not occur in %s, and nothing like it", where)
	}
	why := "the nearest text is"
	if spaces {
		why = "only white space differs from"
	}
	near := lines[line:min(len(lines), line+min(shownLines, countLines(p.OldString)))]
	text, _ := numbered(near, first+line)
	if odd := lookalikes(near); odd != "" {
		text += "\n(it has characters that look like spaces or cannot be seen: " + odd + ")"
	}
	return fault.Errorf(fault.NotFound, "old_string does not occur in %s; %s:\n%s", where, why, text)
}

// maxLookalikes bounds the characters that a hint names.
const maxLookalikes = 5

// lookalikes names the characters of lines that look like a space, or like nothing.
func lookalikes(lines []string) string {
	var found []string
	for _, r := range strings.Join(lines, "") {
		name := fmt.Sprintf("U+%04X", r)
		if r > unicode.MaxASCII && (unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)) && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return strings.Join(found[:min(len(found), maxLookalikes)], ", ")
}

// nearest finds the line (from 0) at which the wanted lines would be: where they are but for white space
// (spaces is true), else where the first of them that is not blank looks most alike. It returns -1 when nothing does.
func nearest(lines, wanted []string) (line int, spaces bool) {
	lines = lines[:min(len(lines), maxHintLines)]
	folded := make([]string, len(wanted))
	lead := -1 // the first wanted line that is not blank
	for i, text := range wanted {
		if folded[i] = squeeze(text); folded[i] != "" && lead < 0 {
			lead = i
		}
	}
	if lead < 0 {
		return -1, false
	}
	best, likest := -1, minLikeness
	for i, text := range lines {
		if stands(lines[i:], folded[lead:]) {
			return max(0, i-lead), true
		}
		if score := likeness(squeeze(text), folded[lead]); score > likest {
			best, likest = max(0, i-lead), score
		}
	}
	return best, false
}

func stands(lines, folded []string) bool {
	for i, want := range folded {
		if i >= len(lines) || want != squeeze(lines[i]) {
			return false
		}
	}
	return true
}

// squeeze takes all white space out of a line.
func squeeze(line string) string {
	return strings.Join(strings.Fields(tool.Cut(line, maxReadLine)), "")
}

// likeness returns the share of letter pairs that two texts have in common (Dice's coefficient), from 0 to 1.
func likeness(a, b string) float64 {
	if len(a) < 2 || len(b) < 2 {
		return 0
	}
	pairs := make(map[string]int, len(a))
	for i := range len(a) - 1 {
		pairs[a[i:i+2]]++
	}
	common := 0
	for i := range len(b) - 1 {
		if pairs[b[i:i+2]] > 0 {
			pairs[b[i:i+2]]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b)-2)
}
