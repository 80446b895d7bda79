package hook

import (
	"fmt"
	"strings"
)

// Tried returns the result of a trial of hooks as text, for an operator.
func Tried(asked []Handler, out Outcome) string {
	var b strings.Builder
	for _, h := range asked {
		fmt.Fprintf(&b, "asked     %s (%s, %s)\n", h.Label(), h.Source, h.Place)
	}
	if len(asked) == 0 {
		b.WriteString("asked     nobody\n")
	}
	fmt.Fprintf(&b, "decision  %s\n", out.Decision)
	for _, line := range []struct{ name, text string }{{"reason", out.Reason}, {"context", out.Context}, {"input", string(out.Updated)}} {
		if line.text != "" {
			fmt.Fprintf(&b, "%-9s %s\n", line.name, line.text)
		}
	}
	for _, note := range out.Notes {
		b.WriteString("failed    " + note + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
