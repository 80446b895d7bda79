package format_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/format"
)

func TestFileLinks_AreWhatLeadsToFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"![chart](out/plot.png)":                   {"out/plot.png"},
		"see [the report](/srv/a%20b.pdf) now":     {"/srv/a b.pdf"},
		"[a](<my file (1).txt>) [b](b_(2).txt)":    {"my file (1).txt", "b_(2).txt"},
		`![x](plot.png "a title")`:                 {"plot.png"},
		"![x](file:///srv/plot.png)":               {"/srv/plot.png"},
		"[main](main.go#L10-L20)":                  {"main.go"},
		"[![x](a.png)](b.png)":                     {"b.png"},
		"图 ![图表](图表.png)。":                         {"图表.png"},
		"[x](https://example.com/a.png)":           nil,
		"[x](mailto:a@b) [y](#top) [z](//h/a)":     nil,
		"`![x](a.png)` and ``[y](b.txt) ` ``":      nil,
		"```\n![x](a.png)\n```\n![y](c.png)":       {"c.png"},
		"~~~\n![x](a.png)\n":                       nil,
		`\[x](a.png) and \![y](b.png)`:             {"b.png"},
		"[x]\n(a.png) [y](a\n.png) [z] (a.png) [":  nil,
		"[folder](src/) [x]()":                     nil,
		"see <<FILE:out/a b.pdf>>, ![x](c.png)":    {"out/a b.pdf", "c.png"},
		"!<<FILE: 图.png >><<FILE:b.txt>>":          {"图.png", "b.txt"},
		"`<<FILE:a>>` <<FILE:>> <<FILE:a/>>":       nil,
		"<<FILE:a\nb>> <<FILE:a <<FILE:http://x>>": nil,
	} {
		var got []string
		for _, l := range format.FileLinks(text) {
			got = append(got, l.Path)
		}
		require.Equal(t, want, got, text)
	}
}

func TestUnlinked_LeavesAReadableName(t *testing.T) {
	t.Parallel()
	text := "Here: ![sales](out/plot.png), ![](a.png), [a.png](x/a.png), <<FILE:b/c.pdf>> and [the web](https://example.com)."
	got := format.Unlinked(text, format.FileLinks(text), format.FileLink.Name)
	require.Equal(t, "Here: sales (plot.png), a.png, a.png, c.pdf and [the web](https://example.com).", got)
}

func FuzzFileLinks_AreInOrderAndWithinTheText(f *testing.F) {
	for _, s := range []string{"![a](b)", "[a](<b c>)", "`[a](b)`", "```\n[a](b)\n```", `\[a](b)`, "[[a](b)](c)", "<<FILE:a>>![b](c)", "<<FILE:<<FILE:a>>", "![](%zz)", "!![a](b)![c](d)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		links := format.FileLinks(text)
		marked := format.Unlinked(text, links, func(format.FileLink) string { return "" })
		require.LessOrEqual(t, len(marked), len(text))
		for _, l := range links {
			require.NotEmpty(t, l.Path)
			require.NotContains(t, l.Path, "\n")
			require.False(t, strings.HasPrefix(l.Path, "http://"))
		}
		require.NotPanics(t, func() { format.Unlinked(text, links, format.FileLink.Name) })
	})
}
