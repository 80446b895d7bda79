package file

import (
	"regexp"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/runner/charset"
	"xbot/runner/pattern"
)

// apply makes the edit that p asks for in the content of a file. It returns the new content and the line of each
// place that was replaced, as numbered before the edit; or an error whose sentence the model can act on. The same
// content and parameters always give the same answer. Read shows lines without their ends, so the ends are no part of what is looked for unless
// p names a carriage return.
func (t text) apply(p replaceParams) (edited string, lines []int, err error) {
	if strings.Contains(p.OldString+p.NewString, "\r") || p.Regex && strings.Contains(p.OldString, `\r`) {
		edited, lines, err = t.applyTo(charset.Unfolded(t.content), p)
		if p.Regex || !fault.Is(err, fault.NotFound) {
			return edited, lines, err
		}
		p.OldString, p.NewString = strings.ReplaceAll(p.OldString, "\r\n", "\n"), strings.ReplaceAll(p.NewString, "\r\n", "\n")
	}
	return t.applyTo(charset.Fold(t.content), p)
}

func (t text) applyTo(folded charset.Folded, p replaceParams) (edited string, lines []int, err error) {
	content := folded.Text
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
	if err := t.editable(content, replacements); err != nil {
		return "", nil, err
	}
	edited = folded.Replace(replacements)
	if edited == t.content {
		return "", nil, fault.Errorf(fault.Invalid, "the edit changes nothing: what would be written is already there")
	}
	return edited, linesOf(content, replacements), nil
}

// editable refuses replacements in lines whose characters are not known. A line of ASCII is the same in every encoding that a file without NUL
// bytes has.
func (t text) editable(content string, replacements []replacement) error {
	if t.charset.Known() {
		return nil
	}
	for _, r := range replacements {
		begin := strings.LastIndexByte(content[:r.Start], '\n') + 1
		end := len(content)
		if i := strings.IndexByte(content[r.End:], '\n'); begin == r.Start && r.End > begin && content[r.End-1] == '\n' && (r.Text == "" || strings.HasSuffix(r.Text, "\n")) {
			end = r.End // whole lines
		} else if i >= 0 {
			end = r.End + i
		}
		if line := content[begin:end]; !t.charset.Holds(line) || !t.charset.Holds(r.Text) {
			return fault.Errorf(fault.Invalid, "nothing was written: the encoding of %s is not known for certain (%s), and the edit at line %d touches or adds characters that depend on it; convert the file first, such as with iconv in Shell",
				t.path, t.charset, 1+strings.Count(content[:r.Start], "\n"))
		}
	}
	return nil
}

// encode returns the bytes of an edited text, in the encoding of the file.
func (t text) encode(edited string) ([]byte, error) {
	data, err := t.charset.Encode(edited)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "nothing was written: %w; use other characters, or convert the file first, such as with iconv in Shell", err)
	}
	if len(data) > maxFile {
		return nil, fault.Errorf(fault.TooLarge, "the file would grow to %d bytes, at most %d can be written", len(data), maxFile)
	}
	return data, nil
}

const maxPlaces = 100_000 // in one edit

// replacement is a piece of the content and the text to put there.
type replacement = charset.Replacement

// finds collects places and watches how large the file becomes.
type finds struct {
	replacements []replacement
	size         int // bytes of the file with the places replaced
}

func (f *finds) add(p replacement) error {
	f.replacements = append(f.replacements, p)
	f.size += len(p.Text) - (p.End - p.Start)
	switch {
	case len(f.replacements) > maxPlaces:
		return fault.Errorf(fault.TooLarge, "old_string occurs more than %d times; narrow it, or use Shell with sed", maxPlaces)
	case f.size > 4*maxFile: // encodings have shorter characters, and later places may take away what earlier ones added, within reason
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

// replacements finds the parts to replace between two offsets.
func (p replaceParams) replacements(content string, from, to int) ([]replacement, error) {
	switch {
	case p.OldString == "":
		return nil, fault.Errorf(fault.Invalid, "old_string is empty; give the text to replace, or write a new file with FileCreate")
	case p.Regex:
		return p.regexReplacements(content, from, to)
	}
	return textReplacements(content, from, to, p.OldString, p.NewString)
}

func textReplacements(content string, from, to int, old, text string) ([]replacement, error) {
	found := finds{size: len(content)}
	for {
		i := strings.Index(content[from:to], old)
		if i < 0 {
			return found.replacements, nil
		}
		if err := found.add(replacement{Start: from + i, End: from + i + len(old), Text: text}); err != nil {
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
		if err := found.add(replacement{Start: from + match[0], End: from + match[1], Text: text}); err != nil {
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
		line += strings.Count(content[at:replacement.Start], "\n")
		at = replacement.Start
		lines = append(lines, line)
	}
	return lines
}
