package permission

import (
	"strings"

	"xbot/internal/chat"
)

// Narrow reports whether rules mean only some calls of their tools.
func Narrow(rules []chat.ToolRule) bool {
	return len(rules) > 0 && rules[0].Pattern != ""
}

// InWords names what rules mean, for people: the tool, and the patterns.
func InWords(rules []chat.ToolRule) string {
	var out []string
	for _, r := range rules {
		out = append(out, strings.TrimSpace(r.Tool+" "+r.Pattern))
	}
	return strings.Join(out, ", ")
}
