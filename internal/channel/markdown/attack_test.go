package markdown_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/markdown"
)

func TestAttack_WhatOthersWroteIsShownInAsMuchMemory(t *testing.T) {
	for name, text := range map[string]string{
		"backticks":         strings.Repeat("`", 1<<20),
		"backticks, apart":  strings.Repeat("` ", 1<<19),
		"control letters":   strings.Repeat("\x00", 1<<20),
		"turns of letters":  strings.Repeat("\u202e", 1<<18),
		"line breaks":       strings.Repeat("\n", 1<<20),
		"what is no UTF-8":  strings.Repeat("\xff", 1<<20),
		"bars":              strings.Repeat("|", 1<<20),
		"escapes":           strings.Repeat(`\`, 1<<20),
		"blanks":            strings.Repeat(" ", 1<<20),
		"a word of letters": strings.Repeat("a", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			for what, show := range map[string]func(string) string{
				"quoted": markdown.Quoted, "code": markdown.Code, "line": markdown.Line, "visible": markdown.Visible,
				"fenced": markdown.Fenced, "block": markdown.Block, "indented": markdown.Indented, "escaped": markdown.Escaped,
			} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				shown := show(text)
				runtime.ReadMemStats(&after)
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100<<20), what)
				require.LessOrEqual(t, len(shown), 8*len(text)+100, what)
			}
		})
	}
}

// The page has the same cases (web/src/markdown/weight.test.ts).
func TestHeavy_PeoplesTextsAreLight(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":              "",
		"prose":                strings.Repeat("A *word*, `code` and a [link](https://example.org/a_b).\n\n", 2000),
		"a long paragraph":     strings.Repeat("Words with **emphasis** here, and `code`. ", 300),
		"a list":               strings.Repeat("- **Name**: a [link](https://example.org) and `code` (*new*)\n", 2000),
		"lists in lists":       strings.Repeat("- a\n  - b\n    - c\n      1. d\n", 1000),
		"a table":              "| a | b | c |\n| --- | :-: | --: |\n" + strings.Repeat("| **x** | `y` | [z](https://example.org) |\n", 3000),
		"code":                 "```js\n" + strings.Repeat("a[b[0]] *= `${c}` && d_[e] ~ <f>;\n", 5000) + "```\n",
		"code in tildes":       "~~~\n" + strings.Repeat("[[*]]\n", 5000) + "~~~\n",
		"quoted mail":          strings.Repeat("> > > > > he wrote\n", 2000),
		"definitions":          strings.Repeat("[name]: https://example.org\n", 500) + "\n[name]",
		"several code blocks":  strings.Repeat("Text:\n\n```go\nx[i] = *p & q_\n```\n\n", 1000),
		"Chinese":              strings.Repeat("**注意：**请看[这里](a.md)，然后*继续*。\n\n", 1000),
		"a fence left open":    "```\n" + strings.Repeat("[*_`<\n", 5000),
		"HTML beside code":     "```html\n" + strings.Repeat("<a href=x_y>*</a>\n", 3000) + "```\n\nThat was it.",
		"a table without rows": "| a |\n| - |\n",
	} {
		require.False(t, markdown.Heavy(text), name)
	}
}
