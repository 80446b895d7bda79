package charset

import (
	"sort"
	"strings"
)

// Folded is a text in which every line ends with "\n", and how the lines ended before: with "\r\n", "\n" or, in a file that has no "\n",
// with "\r". Other separators, such as U+0085 and U+2028, are characters like others.
type Folded struct {
	Text string

	raw string
	crs []int32 // offsets in Text of line ends that were "\r\n"
	mac bool    // line ends were "\r"
}

// Fold returns a text with uniform line ends.
func Fold(raw string) Folded {
	if !strings.Contains(raw, "\r") {
		return Unfolded(raw)
	}
	if !strings.Contains(raw, "\n") {
		return Folded{Text: strings.ReplaceAll(raw, "\r", "\n"), raw: raw, mac: true}
	}
	f := Folded{raw: raw}
	var text strings.Builder
	for line := range strings.Lines(raw) {
		if before, ok := strings.CutSuffix(line, "\r\n"); ok {
			text.WriteString(before)
			f.crs = append(f.crs, int32(text.Len())) // files have at most a few MiB
			text.WriteByte('\n')
			continue
		}
		text.WriteString(line)
	}
	f.Text = text.String()
	return f
}

// Unfolded returns a text whose line ends stay as they are.
func Unfolded(raw string) Folded { return Folded{Text: raw, raw: raw} }

// LineEnds names the line ends, where they are not all "\n".
func (f Folded) LineEnds() string {
	switch n := strings.Count(f.Text, "\n"); {
	case f.mac:
		return "CR"
	case len(f.crs) == 0:
		return ""
	case len(f.crs) < n:
		return "CRLF and LF mixed"
	}
	return "CRLF"
}

// Replacement is a piece of a folded text and what to put there.
type Replacement struct {
	Start, End int // bytes
	Text       string
}

// Replace returns the text before folding with the replacements made, which are in order and do not overlap. Lines that a replacement leaves as
// they were keep their ends; each other line ends as the one in its place did, a further one as its neighbour.
func (f Folded) Replace(replacements []Replacement) string {
	var out strings.Builder
	last := 0
	for _, r := range replacements {
		r = f.changed(r)
		out.WriteString(f.raw[last:f.offset(r.Start)])
		out.WriteString(f.unfold(r))
		last = f.offset(r.End)
	}
	out.WriteString(f.raw[last:])
	return out.String()
}

// Rewrite returns another text with the line ends of this one. A text that contains "\r" keeps its line ends.
func (f Folded) Rewrite(text string) string {
	if strings.Contains(text, "\r") {
		return text
	}
	return f.Replace([]Replacement{{End: len(f.Text), Text: text}})
}

// changed returns the part of a replacement that differs from what it replaces.
func (f Folded) changed(r Replacement) Replacement {
	if f.raw == f.Text {
		return r
	}
	old := f.Text[r.Start:r.End]
	head := 0
	for head < min(len(old), len(r.Text)) && old[head] == r.Text[head] {
		head++
	}
	tail := 0
	for tail < min(len(old), len(r.Text))-head && old[len(old)-1-tail] == r.Text[len(r.Text)-1-tail] {
		tail++
	}
	return Replacement{Start: r.Start + head, End: r.End - tail, Text: r.Text[head : len(r.Text)-tail]}
}

// offset returns where a position of the folded text is in the one before. A carriage return belongs to its line end.
func (f Folded) offset(at int) int {
	return at + sort.Search(len(f.crs), func(i int) bool { return int(f.crs[i]) >= at })
}

// end returns how the line ended whose "\n" is at an offset of the folded text.
func (f Folded) end(at int) string {
	if f.mac {
		return "\r"
	}
	if i := sort.Search(len(f.crs), func(i int) bool { return int(f.crs[i]) >= at }); i < len(f.crs) && int(f.crs[i]) == at {
		return "\r\n"
	}
	return "\n"
}

// unfold gives the lines of a replacement their ends.
func (f Folded) unfold(r Replacement) string {
	if f.raw == f.Text || !strings.Contains(r.Text, "\n") {
		return r.Text
	}
	end := f.near(r)
	var out strings.Builder
	next := r.Start
	for line := range strings.Lines(r.Text) {
		text, ended := strings.CutSuffix(line, "\n")
		out.WriteString(text)
		if !ended {
			break
		}
		if i := strings.IndexByte(f.Text[next:r.End], '\n'); i >= 0 {
			end = f.end(next + i)
			next += i + 1
		}
		out.WriteString(end)
	}
	return out.String()
}

// near returns how the line ends in which a replacement is, or the one before if it is the last.
func (f Folded) near(r Replacement) string {
	if i := strings.IndexByte(f.Text[r.End:], '\n'); i >= 0 {
		return f.end(r.End + i)
	}
	if i := strings.LastIndexByte(f.Text[:r.End], '\n'); i >= 0 {
		return f.end(i)
	}
	return "\n"
}
