package activities

import (
	"fmt"
	"strings"
	"unicode"
)

// CodeBlock is a text as a Markdown code block, whatever it holds.
func CodeBlock(text string) string {
	fence, run := 3, 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		fence = max(fence, run+1)
	}
	mark := strings.Repeat("`", fence)
	return mark + "\n" + text + "\n" + mark
}

// InlineCode is code on one line.
func InlineCode(text string) string {
	text = strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Visible(text))
	if text == "" {
		text = " "
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		text = " " + text + " "
	}
	return fence + text + fence
}

// Visible writes out what a reader cannot see, and what turns the order of the letters around it.
func Visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
