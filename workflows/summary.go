package workflows

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"xbot/internal/channel/markdown"
)

// maxSummary bounds a summary as the JSON string that Temporal holds, in bytes: it refuses a command whose summary has more than 400
// (limit.userMetadataSummarySize), and then the run makes no progress.
const maxSummary = 380

// summaryOf cuts the summary of an activity or a timer to what Temporal holds.
func summaryOf(text string) string { return cut(text, func(r rune) string { return string(r) }) }

// StaticSummary returns the summary of a run. The Temporal UI reads it as Markdown: what users and models wrote in it is none.
func StaticSummary(text string) string {
	return cut(text, func(r rune) string {
		if r < ' ' || unicode.IsSpace(r) {
			return " " // Escaped would leave it out
		}
		return markdown.Escaped(string(r))
	})
}

func cut(text string, written func(rune) string) string {
	var out strings.Builder
	size := len(`"…"`)
	for _, r := range text {
		one := written(r)
		if size += jsonBytes(one); size > maxSummary {
			out.WriteString("…")
			break
		}
		out.WriteString(one)
	}
	return out.String()
}

// jsonBytes returns how long a text is within a JSON string as Go writes it.
func jsonBytes(text string) (n int) {
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			n += 2
		case r < ' ' || r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029' || r == 0x7f || r == utf8.RuneError:
			n += len(`\u003c`)
		default:
			n += utf8.RuneLen(r)
		}
	}
	return n
}

// heading returns the first line of a run's details. Its parts, which users and models wrote, are no Markdown.
func heading(parts ...string) string {
	return "**" + markdown.Escaped(strings.Join(nonempty(parts...), " · ")) + "**\n\n"
}

// count returns a number with the noun in its form for it.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
