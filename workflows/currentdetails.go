package workflows

import (
	"strconv"
	"strings"

	"xbot/internal/markdown"
)

// heading is the first line of a run's details. Its parts, which people and models wrote, are no Markdown.
func heading(parts ...string) string {
	return "**" + markdown.Escaped(strings.Join(nonempty(parts...), " · ")) + "**\n\n"
}

// count says how many there are of something.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
