package webpage

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/document/decode/decodetest"
)

func TestAttack_APageHarmsNobodyElse(t *testing.T) {
	if raceDetector {
		t.Skip("a page takes the race detector half a minute")
	}
	html := "text/html; charset=utf-8"
	deep := func(tag string) string { return strings.Repeat("<"+tag+">", maxText/(len(tag)+2)) + "x" }
	for name, c := range map[string]struct{ said, body string }{
		"blocks a million deep":          {html, deep("div")},
		"quotes a million deep":          {html, deep("blockquote")},
		"lists a million deep":           {html, deep("ul><li")},
		"tables a million deep":          {html, deep("table><tr><td")},
		"links a million deep":           {html, deep("a href=x")},
		"letters a million deep":         {html, deep("b")},
		"fonts with other colours":       {html, strings.Repeat("<font color=1><p>", 200_000)},
		"templates a million deep":       {html, deep("template")},
		"drawings a million deep":        {html, deep("svg")},
		"formulas a million deep":        {html, deep("math><mi")},
		"frames a million deep":          {html, deep("frameset")},
		"forms a million deep":           {html, deep("form")},
		"choices a million deep":         {html, deep("select><option")},
		"a million attributes":           {html, "<p " + strings.Repeat(`a="b" `, 600_000) + ">x"},
		"an attribute of 4 MB":           {html, `<p title="` + strings.Repeat("x", maxText-20) + `">x`},
		"a tag that never ends":          {html, "<p " + strings.Repeat("x", maxText-10)},
		"a comment that never ends":      {html, "<!--" + strings.Repeat("-", maxText-10)},
		"a script that never ends":       {html, "<script>" + strings.Repeat("<!--<script>", 300_000)},
		"a million titles":               {html, strings.Repeat("<title>x</title>", 250_000)},
		"a million entities":             {html, strings.Repeat("&amp;", 800_000)},
		"entities that nobody knows":     {html, strings.Repeat("&CounterClockwiseContourIntegralx", 120_000)},
		"entities of XML":                {"application/xhtml+xml", `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><html><p>&b;</html>`},
		"an entity of a file":            {"application/xhtml+xml", `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><html><p>&a;</html>`},
		"a cell of 65,534 × 1000":        {html, "<table>" + strings.Repeat(`<tr><td colspan=1000 rowspan=65534>x`, 50_000)},
		"a row of a million cells":       {html, "<table><tr>" + strings.Repeat("<td>", 1<<20)},
		"numbers of lists beyond 2^63":   {html, strings.Repeat(`<ol start=99999999999999999999><li>x</ol>`, 100_000)},
		"a heading of 4 MB":              {html, "<h1>" + strings.Repeat("x ", maxText/2-10)},
		"4 MB of white space":            {html, strings.Repeat(" \t\u00a0", maxText/4)},
		"4 MB of one word":               {html, strings.Repeat("x", maxText)},
		"4 MB of marks":                  {html, strings.Repeat("*_`[", maxText/4)},
		"4 MB of brackets":               {html, strings.Repeat("![[](", maxText/5)},
		"a million paragraphs":           {html, strings.Repeat("<p>,", 1<<20)},
		"a million lines":                {html, strings.Repeat("<br>", 1<<20)},
		"a base of another page":         {html, strings.Repeat(`<base href="http://[::1]:1/`+strings.Repeat("../", 600)+`"><a href="../x">x</a>`, 1000)},
		"zeros":                          {html, strings.Repeat("<p>x</p>", 600) + strings.Repeat("\x00", 1<<20)},
		"UTF-16 that says nothing of it": {"text/html", strings.Repeat("<\x00p\x00>\x00", 600_000)},
		"half of UTF-16":                 {"text/html; charset=utf-16", strings.Repeat("\xd8", maxText-1)},
		"UTF-7":                          {"text/html; charset=utf-7", strings.Repeat("+ADw-script+AD4-", 200_000)},
		"escapes of ISO-2022-JP":         {"text/html; charset=iso-2022-jp", strings.Repeat("\x1b$B\x1b(B", 600_000)},
		"escapes of ISO-2022-KR":         {"text/html; charset=iso-2022-kr", strings.Repeat("\x1b$)C\x0e\x0f", 600_000)},
		"four bytes of GB 18030":         {"text/html; charset=gb18030", strings.Repeat("\x90\x30\x81\x30", 1<<20)},
		"halves of Big5":                 {"text/html; charset=big5", strings.Repeat("\x88\x62", 2<<20)},
		"an encoding of 4 MB":            {"text/html; charset=" + strings.Repeat("x", 1<<20), "<p>x"},
		"a million encodings":            {"text/html", strings.Repeat(`<meta charset="x">`, 200_000)},
		"4 MB of marks that hide":        {"text/plain", strings.Repeat("\u202e\u2066", maxText/6)},
		"JSON a million deep":            {"application/json", strings.Repeat("[", maxText)},
	} {
		t.Run(name, func(t *testing.T) {
			kind, _, _ := strings.Cut(c.said, ";")
			_ = decodetest.Attack(t, func(ctx context.Context) error {
				got, err := decoder.Run(ctx, origin{"https://example.com/a", c.said, kind}, []byte(c.body))
				require.LessOrEqual(t, len(got.Text), maxText)
				require.NotContains(t, got.Text, "root:")
				return err
			}, func(ctx context.Context) error {
				got, err := decoder.Run(ctx, origin{"https://example.com/b", html, kindHTML}, []byte("<p>hello"))
				if err == nil {
					require.Equal(t, "hello", got.Text)
				}
				return err
			}) // pages that are no attack are read
		})
	}
}

func BenchmarkContent(b *testing.B) {
	var page strings.Builder
	page.WriteString("<!DOCTYPE html><title>A page</title><article>")
	for i := 0; page.Len() < 1<<20; i++ {
		fmt.Fprintf(&page, "<h2>Part %d</h2><p>Some words with <a href=\"/%d\">a link</a>, and <b>more</b> of them, as articles have them, in a paragraph.</p>\n", i, i)
	}
	o := origin{"https://example.com/a", "text/html", kindHTML}
	b.Run("in a process of its own", func(b *testing.B) {
		for b.Loop() {
			_, err := decoder.Run(b.Context(), o, []byte(page.String()))
			require.NoError(b, err)
		}
	})
	b.Run("in this process", func(b *testing.B) {
		for b.Loop() {
			_, err := contentOf(o, []byte(page.String()))
			require.NoError(b, err)
		}
	})
}
