package format_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/format"
)

func TestPlain_ReadsWithoutMarkup(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# Title\n\nSome **bold**, _italic_ and ~~old~~ `code`.":    "Title\n\nSome bold, italic and old code.",
		"- a\n- b\n  - c\n\nend":                                    "• a\n• b\n  • c\n\nend",
		"- [ ] open\n- [x] done":                                    "☐ open\n☑ done",
		"3. c\n4. d":                                                "3. c\n4. d",
		"> said\n> twice":                                           "> said\n> twice",
		"[the docs](https://a.example/x?a=1&b=2 \"t\")":             "the docs (https://a.example/x?a=1&b=2)",
		"[https://a.example](https://a.example)":                    "https://a.example",
		"<https://a.example>":                                       "https://a.example",
		"![a picture](https://a.example/p.png)":                     "a picture (https://a.example/p.png)",
		"```go\nif a < b { return \"*x*\" }\n\n\tx\n```":            "if a < b { return \"*x*\" }\n\n\tx",
		"| a | 数量 |\n|---|---:|\n| 苹果 | 3 |\n| b | **4** |":         "a     数量\n----  ----\n苹果  3\nb     4",
		"| a |\n|---|\n":                                            "a\n-",
		"$$\\frac{a_1}{b_2} \\\\ *c*$$ costs $5 and $6":             "$$\\frac{a_1}{b_2} \\\\ *c*$$ costs $5 and $6",
		"the sum $\\sum_{i=0}^n a_i * b_i$ and \\(x\\_y\\)":         "the sum $\\sum_{i=0}^n a_i * b_i$ and \\(x\\_y\\)",
		"$$\na_1\n= b_2\n$$":                                        "$$\na_1\n= b_2\n$$",
		"`$HOME` and `$PATH`":                                       "$HOME and $PATH",
		"a &lt; b &amp; \\*c\\* <kbd>x</kbd>":                       "a < b & *c* <kbd>x</kbd>",
		"---":                                                       "———",
		"one\ntwo  \nthree":                                         "one\ntwo\nthree",
		"":                                                          "",
		"- a\n\n  b\n\n- c":                                         "• a\n\n  b\n\n• c",
		"1. x\n   ```sh\n   ls\n   ```":                             "1. x\n   ls",
		"| " + strings.Repeat("w", 40) + " | b |\n|-|-|\n| c | d |": strings.Repeat("w", 40) + "  b\n" + strings.Repeat("-", 40) + "  -\nc" + strings.Repeat(" ", 41) + "d",
		"| " + strings.Repeat("w", 50) + " | b |\n|-|-|\n| c | d |\n| e | f |": strings.Repeat("w", 50) + ": c\nb: d\n\n" + strings.Repeat("w", 50) + ": e\nb: f",
	} {
		require.Equal(t, want, format.Plain(text), "%q", text)
	}
}

func TestPlain_StarsAreEmphasisAsPeopleMeanThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"**注意：**请看`code`。":                    "注意：请看code。",
		"你好**“世界”**吗，*（斜体）*字。":                "你好“世界”吗，（斜体）字。",
		"1. **标题：**内容\n2. **强调。**后面":          "1. 标题：内容\n2. 强调。后面",
		"**重点**：中文**加粗**文字***都***有":           "重点：中文加粗文字都有",
		"日本語の**「強調」**です":                      "日本語の「強調」です",
		"call __init__ of __main__, __now__!": "call __init__ of __main__, __now__!",
		"__Strong words__ and __重点__":         "Strong words and 重点",
		"2*3*4=24 and x**2 + y**2":            "2*3*4=24 and x**2 + y**2",
		"a*b*c, **bold** *it* (*x*)":          "a*b*c, bold it (x)",
		"** 不是 ** and * not *":                "** 不是 ** and * not *",
		"3 * 4 * 5 \\*\\*x\\*\\*":             "3 * 4 * 5 **x**",
		"- **共享**：a\n- **“引”**，b":             "• 共享：a\n• “引”，b",
		"**Note:**text and **a.**b":           "**Note:**text and **a.**b",
	} {
		require.Equal(t, want, format.Plain(text), "%q", text)
	}
}

func TestCard_ShowsTagsAsText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# T\n\n**a** <at id=all></at> 3 < 4":         "# T\n\n**a** &lt;at id=all>&lt;/at> 3 &lt; 4",
		"`<at id=all>` and\n\n```html\n<b>x</b>\n```": "`<at id=all>` and\n\n```html\n<b>x</b>\n```",
		"<https://a.example/x>":                       "[https://a.example/x](https://a.example/x)",
		"<div>\n<at id=all></at>\n</div>":             "&lt;div>\n&lt;at id=all>&lt;/at>\n&lt;/div>",
		"> quote <b>\n- item <i>":                     "> quote &lt;b>\n- item &lt;i>",
		"    <indented>":                              "    <indented>",
		"| a |\n|---|\n| `<x>` <y> |\n\nafter":        "| a |\n|---|\n| `&lt;x>` &lt;y> |\n\nafter",
	} {
		require.Equal(t, want, format.Card(text, format.Tables), "%q", text)
	}
}

func TestCard_TurnsTablesOverTheLimitIntoCode(t *testing.T) {
	t.Parallel()
	table := "| a | b |\n|---|---|\n| 1 | 2 |\n|  |  |\n"
	got := format.Card("one\n\n"+table+"\ntwo\n\n"+table+"\nthree", 1)
	require.Equal(t, 1, strings.Count(got, "| 1 | 2 |"))
	require.Contains(t, got, "two\n\n```\na  b\n-  -\n1  2\n```\n\nthree")
}

func TestTableless_MakesCodeOfTablesAndLeavesTheRest(t *testing.T) {
	for text, want := range map[string]string{
		"no `a|b` here": "no `a|b` here",
		"| a | b |\n|---|---|\n| 1 | 2 |\n\nThat is `a|b`.": "```\na  b\n-  -\n1  2\n```\n\nThat is `a|b`.",
		"| a | b |\n|---|---|\n\n**c**|d":                   "```\na  b\n-  -\n```\n\n**c**|d",
		"| a | b |\n|---|---|\n| 1 | |\n| | |\nend":         "```\na    b\n---  -\n1\n\nend\n```",
		"- x\n\n```\n| a |\n|---|\n```":                     "- x\n\n```\n| a |\n|---|\n```",
	} {
		require.Equal(t, want, format.Tableless(text), "%q", text)
	}
}

func TestRows_KeepWhatTextLooksLike(t *testing.T) {
	t.Parallel()
	require.Equal(t, []format.Row{
		{{Text: "Title", Bold: true}},
		nil,
		{{Text: "see "}, {Text: "the ", Link: "https://a.example"}, {Text: "docs", Bold: true, Link: "https://a.example"}},
		nil,
		{{Text: "x := 1", Code: true}},
	}, format.Rows("## Title\n\nsee [the **docs**](https://a.example)\n\n```go\nx := 1\n```"))
}

func TestMentions_FindsNames(t *testing.T) {
	t.Parallel()
	names := map[string]string{"1": "Ann", "2": "Anna", "3": "李雷", "4": "李雷雷", "5": "Bo Li", "6": "Twin", "7": "Twin"}
	mark := func(id, _ string) string { return "<" + id + ">" }
	for text, want := range map[string]string{
		"@Ann, @Anna and @Annabel":     "<1>, <2> and @Annabel",
		"@李雷你好@李雷雷。":                   "<3>你好<4>。",
		"@Bo Li, hi":                   "<5>, hi",
		"mail ann@Ann.example":         "mail ann@Ann.example",
		"你好@Ann说得对":                    "你好<1>说得对",
		"@Twin":                        "@Twin",
		"`@Ann` and\n\n```\n@Ann\n```": "`@Ann` and\n\n```\n@Ann\n```",
		"@Ann's @nobody @":             "<1>'s @nobody @",
		"**@Ann**\n- @Ann":             "**<1>**\n- <1>",
	} {
		require.Equal(t, want, format.Mentions(channel.Card, text, names, mark), "%q", text)
	}
	require.Equal(t, "<1>", format.Mentions(channel.Plain, "@Ann", names, mark))
	require.Equal(t, "@Ann", format.Mentions(channel.Plain, "@Ann", nil, mark))
}

func TestSplit_ReopensCodeWithItsLanguage(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	for i := range 40 {
		fmt.Fprintf(&code, "line %d\n", i)
	}
	parts := format.Split("Look:\n\n```go title=x\n"+code.String()+"```\n\nDone.", channel.Markdown, 120)
	require.Greater(t, len(parts), 3)
	for i, part := range parts {
		require.LessOrEqual(t, utf8.RuneCountInString(part), 120)
		require.Equal(t, 2, strings.Count(part, "```"), "part %d: %s", i, part)
		require.Contains(t, part, "```go title=x\n")
	}
	require.True(t, strings.HasPrefix(parts[0], "Look:\n\n```go"))
	require.True(t, strings.HasSuffix(parts[len(parts)-1], "```\n\nDone."))
}

func TestSplit_RepeatsTheHeadsOfTables(t *testing.T) {
	t.Parallel()
	table := "| name | value |\n|---|---|\n"
	for i := range 30 {
		table += fmt.Sprintf("| row %d | %d |\n", i, i*i)
	}
	for _, d := range []channel.Dialect{channel.Markdown, channel.Plain, channel.Card} {
		parts := format.Split("# All\n\n"+table, d, 150)
		require.Greater(t, len(parts), 3)
		for _, part := range parts {
			require.Contains(t, part, "| name | value |\n|---|---|\n| row ")
			require.LessOrEqual(t, format.Size(d, part), 150)
		}
	}
}

func TestSplit_KeepsWhatBelongsTogether(t *testing.T) {
	t.Parallel()
	family, link := "👩‍👩‍👧‍👦", "[a link with words](https://a.example/path_(x))"
	for name, text := range map[string]string{
		"characters": strings.Repeat(family, 60), "links": strings.Repeat("ab "+link+" ", 20), "marks": strings.Repeat("e\u0301", 200),
		"code": strings.Repeat("so `a b c d e f` it is ", 30), "formulas": strings.Repeat("and $a b c + d$ then ", 30),
	} {
		joined := 0
		for _, part := range format.Split(text, channel.Markdown, 100) {
			require.LessOrEqual(t, utf8.RuneCountInString(part), 100, name)
			joined += strings.Count(part, family) + strings.Count(part, link) + strings.Count(part, "e\u0301") + strings.Count(part, "`a b c d e f`") + strings.Count(part, "$a b c + d$")
		}
		want := strings.Count(text, family) + strings.Count(text, link) + strings.Count(text, "e\u0301") + strings.Count(text, "`a b c d e f`") + strings.Count(text, "$a b c + d$")
		require.Equal(t, want, joined, name)
	}
}

// What a model repeats without an end must not hold up what is sent behind it. None of these may take time by the square of
// its length: the whole test does by seconds what took minutes.
func TestSplit_WhatAModelRepeatsWithoutAnEndIsCutSoon(t *testing.T) {
	t.Parallel()
	const size = 20_000
	for _, repeated := range []string{"`", "[", "[a](", "$a ", "**a ", "` `` ", "<at ", "@", " x", "    ", "\n", "- a\n", "中文字符", "\\", "!["} {
		text := strings.Repeat(repeated, size/len(repeated))
		require.Empty(t, format.FileLinks(text))
		for _, d := range []channel.Dialect{channel.Plain, channel.Card, channel.Markdown} {
			for _, part := range format.Split(text, d, 3000) {
				require.LessOrEqual(t, utf8.RuneCountInString(part), 3000, "%q", repeated)
			}
		}
	}
}

func TestSplit_EndsPartsWhereAReaderWould(t *testing.T) {
	t.Parallel()
	first, second := strings.Repeat("One two. ", 8)+"End.", strings.Repeat("三四五。", 15)
	require.Equal(t, []string{first, "## Next\n\n" + second}, format.Split(first+"\n\n## Next\n\n"+second, channel.Markdown, 100))
	for _, part := range format.Split(strings.Repeat("这是一句话，后面还有。", 40), channel.Markdown, 100) {
		require.True(t, strings.HasSuffix(part, "。"), part)
	}
	require.Equal(t, []string{"short"}, format.Split("short", channel.Plain, 100))
}
