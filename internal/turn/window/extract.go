package window

import (
	"encoding/json"
	"slices"
	"strings"

	"xbot/internal/chat"
)

// Extract makes a summary of at most target tokens by rule, for when no model writes a usable one: users' requests, the files, errors and
// last words, under the usual headings. facts are those of the lines.
func Extract(lines []chat.Line, facts Facts, target int, size func(string) int) string {
	e := extract{size: size}
	e.read(lines)
	share := func(percent int) int { return target * percent / 100 }
	var b strings.Builder
	section := func(name, text string) { b.WriteString("## " + name + "\n" + orNone(text) + "\n\n") }
	section(Sections[0], e.cut(e.earlier, share(20)))
	section(Sections[1], e.newest(e.asked, share(20)))
	section(Sections[2], "Not told apart: this summary was made by rule, since no model could write one.")
	section(Sections[3], e.newest(e.files(facts), share(10)))
	section(Sections[4], e.newest(e.errors, share(10)))
	section(Sections[5], e.newest(e.said, share(20)))
	section(Sections[6], e.cut(e.todos, share(5)))
	return strings.TrimSpace(b.String())
}

// Bare is the shortest possible summary.
const Bare = "The conversation before this point was longer than the context window and could not be summarized. Ask the person, or look things up, before you rely on anything from it."

func orNone(text string) string {
	if text == "" {
		return "None."
	}
	return text
}

type extract struct {
	size                func(string) int
	earlier, todos      string
	asked, errors, said []string // oldest first
	paths               []string
}

// Bounds of one extracted text, in runes.
const (
	maxExtractAsked = 400
	maxExtractSaid  = 300
)

func (e *extract) read(lines []chat.Line) {
	for _, l := range lines {
		m := l.Message
		switch {
		case isSummary(m):
			e.earlier = plainHeadings(strings.TrimPrefix(m.Content, CompactedMark))
		case m.Role == chat.RoleUser:
			e.asked = append(e.asked, "- "+oneLine(m.Content, maxExtractAsked))
		case m.Content != "":
			e.said = append(e.said, "- "+oneLine(m.Content, maxExtractSaid))
		}
		e.errors = append(e.errors, errorLines(m.Content)...)
		for _, c := range m.ToolCalls {
			e.call(c)
		}
	}
}

func (e *extract) call(c chat.ToolCall) {
	if c.IsError {
		e.errors = append(e.errors, "- "+c.Name+": "+oneLine(c.Result, maxErrorLine))
	}
	switch c.Name {
	case "todo_write":
		e.todos = oneLine(c.Arguments, 4*maxExtractAsked)
	case "Shell":
		e.said = append(e.said, "- ran "+oneLine(argument(c.Arguments, "command"), maxIdentifier))
	default:
		if path := argument(c.Arguments, "path"); path != "" {
			e.paths = append(e.paths, "- "+cutRunes(path, maxIdentifier))
		}
	}
}

// files returns paths that calls worked on and users named, oldest first.
func (e *extract) files(facts Facts) []string {
	out := newList()
	for _, path := range slices.Backward(e.paths) {
		out.add(path)
	}
	for _, name := range facts.Identifiers {
		if isPath(name) || fileForm.MatchString(name) {
			out.add("- " + name)
		}
	}
	slices.Reverse(out.items)
	return out.items
}

// newest joins the last items that fit, in their order.
func (e *extract) newest(items []string, room int) string {
	from := len(items)
	for from > 0 {
		if room -= e.size(items[from-1]) + 1; room < 0 {
			break
		}
		from--
	}
	return strings.Join(items[from:], "\n")
}

// cut returns the beginning of a text that fits.
func (e *extract) cut(text string, room int) string {
	for len(text) > 0 && e.size(text) > room {
		text = strings.TrimSpace(strings.ToValidUTF8(text[:len(text)*3/4], ""))
	}
	return text
}

func isSummary(m chat.Message) bool {
	return m.ID == 0 && m.Role == chat.RoleUser && strings.HasPrefix(m.Content, CompactedMark)
}

// plainHeadings prevents the headings of an earlier summary from becoming headings of this one.
func plainHeadings(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(text)) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			line = "(" + strings.TrimSpace(name) + ")\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

func errorLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if errorForm.MatchString(line) {
			out = append(out, "- "+oneLine(line, maxErrorLine))
		}
	}
	return out
}

func oneLine(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if short := cutRunes(text, n); len(short) < len(text) {
		return short + " …"
	}
	return text
}

// argument returns one text of a call's arguments, "" if there is none.
func argument(arguments, name string) string {
	var all map[string]any
	if json.Unmarshal([]byte(arguments), &all) != nil {
		return ""
	}
	text, _ := all[name].(string)
	return text
}
