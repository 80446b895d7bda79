package file

import (
	"regexp"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/runner/pattern"
)

// apply makes the edit that p asks for in the content of a file. It returns the new content and the line of each
// place that was replaced, as numbered before the edit; or an error whose sentence the model can act on. The same
// content and parameters always give the same answer.
func apply(content string, p replaceParams) (edited string, lines []int, err error) {
	from, to, err := searchRange(content, p)
	if err != nil {
		return "", nil, err
	}
	replacements, err := p.replacements(content, from, to)
	if err != nil {
		return "", nil, err
	}
	switch {
	case len(replacements) == 0:
		return "", nil, notFoundInFile(content, from, to, p)
	case len(replacements) > 1 && !p.ReplaceAll:
		return "", nil, fault.Errorf(fault.Invalid, "old_string occurs %d times, at %s; add lines around it until it is unique, or set replace_all, or start_line and end_line",
			len(replacements), lineList(linesOf(content, replacements)))
	}
	var out strings.Builder
	last := 0
	for _, replacement := range replacements {
		out.WriteString(content[last:replacement.start])
		out.WriteString(replacement.text)
		last = replacement.end
	}
	out.WriteString(content[last:])
	if out.Len() > maxFile {
		return "", nil, fault.Errorf(fault.TooLarge, "the file would grow to %d bytes, at most %d can be written", out.Len(), maxFile)
	}
	if out.String() == content {
		return "", nil, fault.Errorf(fault.Invalid, "the edit changes nothing: what would be written is already there")
	}
	return out.String(), linesOf(content, replacements), nil
}

const maxPlaces = 100_000 // in one edit

// place is a piece of the content and the text to put there.
type replacement struct {
	start, end int // bytes
	text       string
}

// finds collects places and watches how large the file becomes.
type finds struct {
	replacements []replacement
	size         int // bytes of the file with the places replaced
}

func (f *finds) add(p replacement) error {
	f.replacements = append(f.replacements, p)
	f.size += len(p.text) - (p.end - p.start)
	switch {
	case len(f.replacements) > maxPlaces:
		return fault.Errorf(fault.TooLarge, "old_string occurs more than %d times; narrow it, or use Shell with sed", maxPlaces)
	case f.size > 2*maxFile: // later places may take away what earlier ones added, within reason
		return fault.Errorf(fault.TooLarge, "the file would grow to more than %d bytes", maxFile)
	}
	return nil
}

// searchRange returns the bytes between which old_string is looked for: whole lines.
func searchRange(content string, p replaceParams) (from, to int, err error) {
	if p.StartLine < 0 || p.EndLine < 0 || p.EndLine > 0 && p.EndLine < p.StartLine {
		return 0, 0, fault.Errorf(fault.Invalid, "start_line and end_line count from 1, and end_line must not be before start_line")
	}
	from, to = 0, len(content)
	if p.StartLine > 1 {
		if from = lineStart(content, p.StartLine); from == len(content) {
			return 0, 0, fault.Errorf(fault.Invalid, "start_line %d is behind the end: the file has %s", p.StartLine, tool.Count(countLines(content), "line"))
		}
	}
	if p.EndLine > 0 {
		to = lineStart(content, p.EndLine+1)
	}
	return from, to, nil
}

// lineStart returns the offset of the first byte of a line (from 1), the length of the content if it has fewer.
func lineStart(content string, line int) int {
	at := 0
	for ; line > 1; line-- {
		i := strings.IndexByte(content[at:], '\n')
		if i < 0 {
			return len(content)
		}
		at += i + 1
	}
	return at
}

// places finds what is to be replaced between two offsets.
func (p replaceParams) replacements(content string, from, to int) ([]replacement, error) {
	switch {
	case p.OldString == "":
		return nil, fault.Errorf(fault.Invalid, "old_string is empty; give the text to replace, or write a new file with FileCreate")
	case p.Regex:
		return p.regexReplacements(content, from, to)
	}
	replacements, err := textReplacements(content, from, to, p.OldString, p.NewString)
	if err == nil && len(replacements) == 0 && strings.Contains(content, "\r\n") {
		// Read shows lines without their carriage return, so a model cannot know that the file has any.
		return textReplacements(content, from, to, toCRLF(p.OldString), toCRLF(p.NewString))
	}
	return replacements, err
}

func toCRLF(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

func textReplacements(content string, from, to int, old, text string) ([]replacement, error) {
	found := finds{size: len(content)}
	for {
		i := strings.Index(content[from:to], old)
		if i < 0 {
			return found.replacements, nil
		}
		if err := found.add(replacement{start: from + i, end: from + i + len(old), text: text}); err != nil {
			return nil, err
		}
		from += i + len(old)
	}
}

func (p replaceParams) regexReplacements(content string, from, to int) ([]replacement, error) {
	re, err := pattern.CompileExpression("(?m)" + p.OldString)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "old_string is not a regular expression (RE2): %w", err)
	}
	if !re.Fits(to - from) {
		return nil, fault.Errorf(fault.TooLarge, "old_string is too large an expression for %d bytes: repeat less in it, or set start_line and end_line", to-from)
	}
	template, err := expansion(re.Regexp, p.NewString)
	if err != nil {
		return nil, err
	}
	found := finds{size: len(content)}
	for _, match := range re.FindAllStringSubmatchIndex(content[from:to], maxPlaces+1) {
		text := string(re.ExpandString(nil, template, content[from:to], match))
		if err := found.add(replacement{start: from + match[0], end: from + match[1], text: text}); err != nil {
			return nil, err
		}
	}
	return found.replacements, nil
}

var reference = regexp.MustCompile(`\$(?:\$|\{\w+\}|\d+)`)

// expansion rewrites the references of a replacement so that $1x means group 1 followed by an x, which the regexp
// package reads as a group named "1x". A dollar that refers to nothing stays a dollar; a group that the expression
// does not have is an error, because it would silently become nothing.
func expansion(re *regexp.Regexp, text string) (string, error) {
	var out strings.Builder
	last := 0
	for _, at := range reference.FindAllStringIndex(text, -1) {
		out.WriteString(strings.ReplaceAll(text[last:at[0]], "$", "$$"))
		last = at[1]
		ref := text[at[0]:at[1]]
		if ref == "$$" {
			out.WriteString(ref)
			continue
		}
		name := strings.Trim(ref, "${}")
		if !hasGroup(re, name) {
			return "", fault.Errorf(fault.Invalid, "new_string refers to %s, but old_string has %s; write $$ for a dollar", ref, tool.Count(re.NumSubexp(), "group"))
		}
		out.WriteString("${" + name + "}")
	}
	out.WriteString(strings.ReplaceAll(text[last:], "$", "$$"))
	return out.String(), nil
}

func hasGroup(re *regexp.Regexp, name string) bool {
	n, digits := 0, true
	for _, c := range name {
		if digits = digits && c >= '0' && c <= '9'; digits {
			n = min(n*10+int(c-'0'), 1<<20)
		}
	}
	if digits {
		return n <= re.NumSubexp()
	}
	return re.SubexpIndex(name) >= 0
}

// linesOf returns the line, from 1, at which each place begins.
func linesOf(content string, replacements []replacement) []int {
	lines := make([]int, 0, len(replacements))
	line, at := 1, 0
	for _, replacement := range replacements {
		line += strings.Count(content[at:replacement.start], "\n")
		at = replacement.start
		lines = append(lines, line)
	}
	return lines
}
