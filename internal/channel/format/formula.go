package format

import (
	"regexp"
	"strings"
	"sync"
)

// formulas are LaTeX as models write it. Prices are none: a formula in a line begins and ends without a blank. Its bounds make it
// large: compiled at the start of each program it took 15 ms.
var formulas = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\$\$[^$` + "`" + `]{1,900}?\$\$|\\\[[^` + "`" + `]{1,900}?\\\]|\\\([^` + "`" + `\n]{1,500}?\\\)|\$[^\s$` + "`" + `](?:[^$\n` + "`" + `]{0,300}?[^\s$` + "`" + `])?\$`)
})

// firstMark is the first of the private-use characters that replace formulas while Markdown is parsed, which would consume
// the backslashes and stars of a formula.
const firstMark, maxMarks = '\U000F0000', 0xFFFD

// keepFormulas replaces formulas by marks.
func keepFormulas(text string) (marked string, kept []string) {
	if !strings.ContainsAny(text, `$\`) || strings.IndexFunc(text, isMark) >= 0 {
		return text, nil
	}
	marked = formulas().ReplaceAllStringFunc(text, func(formula string) string {
		if len(kept) == maxMarks || strings.Contains(formula, "\n\n") {
			return formula
		}
		kept = append(kept, formula)
		return string(firstMark + rune(len(kept)-1))
	})
	return marked, kept
}

func isMark(r rune) bool { return r >= firstMark && r < firstMark+maxMarks }

// bringBack replaces the marks by the formulas.
func bringBack(text string, kept []string) string {
	if len(kept) == 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if i := int(r - firstMark); isMark(r) && i < len(kept) {
			b.WriteString(kept[i])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
