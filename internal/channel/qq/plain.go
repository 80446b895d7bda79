package qq

import (
	"regexp"
	"strings"
)

var (
	heading  = regexp.MustCompile(`^ {0,3}#{1,6}\s+`)
	fence    = regexp.MustCompile("^ {0,3}(```+|~~~+)")
	bullet   = regexp.MustCompile(`^(\s*)[-*+]\s+`)
	task     = regexp.MustCompile(`^(\s*)• \[([ xX])\]\s+`)
	rule     = regexp.MustCompile(`^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$`)
	emphasis = regexp.MustCompile(`(\*\*\*|\*\*|__|~~)(\S(?:[^*_~\n]*\S)?)(\*\*\*|\*\*|__|~~)`)
	codeSpan = regexp.MustCompile("`([^`\n]+)`")
	linked   = regexp.MustCompile(`!?\[([^\]\n]*)\]\(([^()\s]*)(?:\s+"[^"\n]*")?\)`)
)

// plain is Markdown as text that reads well where no markup is shown. Code stays as it is.
func plain(markdown string) string {
	var out []string
	in := ""
	for line := range strings.SplitSeq(markdown, "\n") {
		if m := fence.FindStringSubmatch(line); m != nil && (in == "" || strings.HasPrefix(m[1], in)) {
			if in == "" {
				in = m[1]
			} else {
				in = ""
			}
			continue
		}
		switch {
		case in != "":
		case rule.MatchString(line):
			continue
		default:
			line = plainLine(line)
		}
		out = append(out, line)
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

func plainLine(line string) string {
	line = heading.ReplaceAllString(line, "")
	line = bullet.ReplaceAllString(line, "$1• ")
	line = task.ReplaceAllStringFunc(line, func(found string) string {
		m := task.FindStringSubmatch(found)
		if m[2] == " " {
			return m[1] + "☐ "
		}
		return m[1] + "☑ "
	})
	if strings.HasPrefix(strings.TrimSpace(line), "|") {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		line = strings.Join(cells, " | ")
	}
	line = linked.ReplaceAllStringFunc(line, func(found string) string {
		m := linked.FindStringSubmatch(found)
		if m[1] == "" || m[1] == m[2] {
			return m[2]
		}
		return m[1] + " (" + m[2] + ")"
	})
	line = emphasis.ReplaceAllString(line, "$2")
	return codeSpan.ReplaceAllString(line, "$1")
}
