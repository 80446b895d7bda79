package feishu

import (
	"cmp"
	"regexp"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/channel/format"
)

// maxTables is how many tables a card may have.
const maxTables = 3

// callForm finds text that the platform would take for a mention, and tagForm text it would take for another element.
var (
	callForm = regexp.MustCompile(`(?i)<(/?at\b)`)
	tagForm  = regexp.MustCompile(`(?i)<(/?(?:person|font|link|text_tag|number_tag|local_datetime|audio|record)\b)`)
)

// inert makes markup of the platform plain text, by a space of no width: the text of a model must not mention all users. Code
// is copied and run, so it is only changed where it would mention a user.
func inert(text string) string {
	text = callForm.ReplaceAllString(text, "<\u200b$1")
	return outsideCode(text, func(prose string) string { return tagForm.ReplaceAllString(prose, "<\u200b$1") })
}

// harmless returns a text without markup of the platform and without images. The rest of an image may turn the text around it into markup.
func harmless(text string) string { return inert(outsideCode(inert(text), linked)) }

// imageForm finds images of Markdown.
var imageForm = regexp.MustCompile(`!\[([^\]]*)\]\(\s*([^)\s]*)[^)]*\)`)

// linked makes links of images: a card shows images that were uploaded, and refuses all others. An image without an address
// of the web is named.
func linked(text string) string {
	return imageForm.ReplaceAllStringFunc(text, func(found string) string {
		m := imageForm.FindStringSubmatch(found)
		title, address := strings.Join(strings.Fields(m[1]), " "), m[2]
		switch {
		case strings.HasPrefix(address, "https://"), strings.HasPrefix(address, "http://"):
			return "[" + cmp.Or(title, address) + "](" + address + ")"
		case title == "" || address == "":
			return title + address
		}
		return title + " (" + address + ")"
	})
}

// outsideCode changes the parts of a text that are not code.
func outsideCode(text string, change func(string) string) string {
	var b strings.Builder
	for text != "" {
		start := strings.IndexByte(text, '`')
		if start < 0 {
			break
		}
		ticks := len(text[start:]) - len(strings.TrimLeft(text[start:], "`"))
		end := strings.Index(text[start+ticks:], text[start:start+ticks])
		if end < 0 {
			break
		}
		if ticks < 3 && strings.Contains(text[start+ticks:start+ticks+end], "\n") { // code between single backticks is on one line
			b.WriteString(change(text[:start+ticks]))
			text = text[start+ticks:]
			continue
		}
		end += start + 2*ticks
		b.WriteString(change(text[:start]) + text[start:end])
		text = text[end:]
	}
	b.WriteString(change(text))
	return b.String()
}

// mentioned replaces names by tags, outside of code. An id that could end a tag belongs to no user, and "all" would mention all users.
func mentioned(text string, names map[string]string, tag func(id, name string) string) string {
	return format.Mentions(channel.Card, text, names, func(id, name string) string {
		if !idForm.MatchString(id) || strings.EqualFold(id, "all") {
			return "@" + name
		}
		return tag(id, name)
	})
}

// idForm matches ids of users.
var idForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// tabled keeps the tables that a card may have, and shows the others as text that is aligned by their writer.
func tabled(text string) string {
	lines := strings.Split(text, "\n")
	var out []string
	fence, tables := "", 0
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if mark := fenceOf(line); mark != "" && (fence == "" || strings.HasPrefix(mark, fence)) {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
		}
		if fence != "" || i+1 >= len(lines) || !strings.Contains(line, "|") || !rule(lines[i+1]) {
			out = append(out, lines[i])
			continue
		}
		end := i + 2
		for end < len(lines) && strings.Contains(lines[end], "|") {
			end++
		}
		if tables++; tables > maxTables {
			out = append(append(append(out, "```"), lines[i:end]...), "```")
		} else {
			out = append(out, lines[i:end]...)
		}
		i = end - 1
	}
	return strings.Join(out, "\n")
}

// fenceOf returns the fence that a line begins with.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if rest := strings.TrimLeft(line, c); len(line)-len(rest) >= 3 {
			return line[:len(line)-len(rest)]
		}
	}
	return ""
}

// rule reports whether a line parts the head of a table from its rows.
func rule(line string) bool {
	line = strings.TrimSpace(line)
	return strings.Contains(line, "-") && strings.Contains(line, "|") && strings.Trim(line, "|-: \t") == ""
}
