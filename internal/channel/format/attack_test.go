package format_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/format"
)

// bombs returns replies of about so many bytes that are slow to parse as Markdown, or expand to much output.
func bombs(size int) map[string]string {
	fill := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	each := func(of func(n int) string) string {
		var b strings.Builder
		for n := 0; b.Len() < size; n++ {
			b.WriteString(of(n))
		}
		return b.String()
	}
	return map[string]string{
		"quotes in quotes":                   fill(">") + "a",
		"quotes in quotes, with later lines": strings.Repeat(">", size/3) + "a\n" + strings.Repeat("b\n", size/3),
		"quotes at the bound, later lines":   strings.Repeat(">", 32) + "a\n" + fill("b\n"),
		"lists in lists":                     fill("- ") + "a",
		"lists in lists, with later lines":   strings.Repeat("- ", size/6) + "a\n" + strings.Repeat("b\n", size/3),
		"numbers in numbers":                 fill("1. ") + "a",
		"quotes and lists":                   fill("> - ") + "a",
		"lists, ever deeper":                 each(func(n int) string { return strings.Repeat(" ", 2*n) + "- a\n" }),
		"emphasis that is not closed":        fill("*a **a "),
		"emphasis in emphasis":               strings.Repeat("*a ", size/6) + strings.Repeat("b* ", size/6),
		"emphasis of both kinds":             fill("*a_ "),
		"emphasis of Chinese":                fill("**注意：**请看*"),
		"stars":                              fill("*") + "a",
		"underlines":                         fill("_a __a "),
		"struck out":                         fill("~a ~~b "),
		"brackets that open":                 fill("["),
		"brackets that close":                fill("]"),
		"brackets in brackets":               strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		"links that are not closed":          fill("[a](b"),
		"links to <":                         fill("[a](<b"),
		"links in links":                     strings.Repeat("[", size/6) + "a" + strings.Repeat("](b)", size/6),
		"pictures in pictures":               fill("!["),
		"escapes":                            fill(`\`),
		"escaped brackets":                   strings.Repeat(strings.Repeat("[", 2000)+strings.Repeat(`\`, 2000), size/4000) + "](",
		"backticks, ever more":               each(func(n int) string { return strings.Repeat("`", n) + "a " }),
		"backticks in turn":                  fill("`a ``b "),
		"fences in turn":                     fill("```\n~~~\n"),
		"fences in quotes":                   fill("> ```\n"),
		"references to one address":          "[a]: http://" + strings.Repeat("x", size/2) + "\n\n" + strings.Repeat("[a] ", size/8),
		"references to one title":            "[a]: b '" + strings.Repeat("x", size/2) + "'\n\n" + strings.Repeat("[a] ", size/8),
		"definitions":                        each(func(n int) string { return fmt.Sprintf("[a%d]: b\n", n) }),
		"a definition without an end":        fill("[a]: b 'c\n"),
		"a label without an end":             fill("[\n"),
		"footnotes":                          each(func(n int) string { return fmt.Sprintf("[^%d]: a[^%d]\n\n", n, n+1) }),
		"a table of columns":                 strings.Repeat("|a", size/4) + "|\n" + strings.Repeat("|-", size/4) + "|\n",
		"a table of cells left out":          strings.Repeat("|a", size/8) + "|\n" + strings.Repeat("|-", size/8) + "|\n" + strings.Repeat("|\n", size/4),
		"a table of one long head":           "|" + strings.Repeat("a", size/2) + "|b|\n|-|-|\n" + strings.Repeat("|c|\n", size/8),
		"a table of rows":                    "|a|b|\n|-|-|\n" + fill("|c|d|\n"),
		"tables":                             fill("|a|\n|-|\n\n"),
		"bars":                               fill("a | b\n"),
		"rules":                              fill("-|") + "\n" + fill("-|"),
		"HTML that is not closed":            fill("<a "),
		"comments that are not closed":       fill("<!-- "),
		"instructions that are not closed":   fill("<?"),
		"CDATA that is not closed":           fill("<![CDATA["),
		"addresses":                          fill("<http://a.b> "),
		"entities":                           fill("&#x1F600;"),
		"entities that are none":             fill("&a"),
		"formulas":                           fill("$x$ "),
		"formulas that are not closed":       fill(`\[`),
		"dollars":                            fill("$"),
		"lines of dollars":                   fill("$a\n"),
		"headings":                           fill("# a\n"),
		"underlined headings":                fill("a\n") + "===",
		"rules of stars":                     fill("* * *\n"),
		"hard breaks":                        fill("a  \n"),
		"blanks":                             "a" + fill(" ") + "b",
		"tabs":                               fill("\t") + "a",
		"empty lines":                        fill("\n"),
		"marks of files":                     fill("<<FILE:a"),
		"mentions":                           fill("@a "),
		"letters with many accents":          fill("a\u0300\u0301\u0302\u0303"),
		"letters from right to left":         fill("\u202eab\u202c"),
		"families":                           fill("👨\u200d👩\u200d👧\u200d"),
		"what is no UTF-8":                   fill("\xff\xfe*"),
		"one word":                           fill("a"),
		"a fence that another one closes":    "```\n`````\n" + fill("*a **a "),
		"a fence in HTML":                    "<div>\n```\n\n" + fill("*a **a "),
		"a fence in a list":                  "- a\n\n  ```\nb\n\n" + fill("*a **a "),
		"a table, then a quote":              "|a|\n|-|\n" + fill("> *a **a |\n"),
	}
}

// allocated returns how many bytes a function allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Memory and output grow linearly with the length of a reply, not with its square.
func TestAttack_AnswersInMarkdown(t *testing.T) {
	const size = attackSize
	for name, answer := range bombs(size) {
		t.Run(name, func(t *testing.T) {
			var plain, card string
			var rows []format.Row
			for what, do := range map[string]func(){
				"plain":     func() { plain = format.Plain(answer) },
				"card":      func() { card = format.Card(answer, format.Tables) },
				"rows":      func() { rows = format.Rows(answer) },
				"tableless": func() { format.Tableless(answer) },
				"links":     func() { format.FileLinks(answer) },
				"split":     func() { format.Split(answer, channel.Plain, 4000) },
			} {
				if bytes := allocated(do); bytes > mostAllocated {
					t.Errorf("%s allocates %d MB", what, bytes>>20)
				}
			}
			require.Less(t, len(plain), 80*size)
			require.Less(t, len(card), 80*size)
			require.LessOrEqual(t, len(rows), size+10)
		})
	}
}
