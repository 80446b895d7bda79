package webpage

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
	"xbot/internal/host/safehttp/safehttptest"
)

func TestRead_GivesASlowPageUp(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "<p>begun")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(left)
	}))
	t.Cleanup(server.Close)
	r := New(server.Client(), "xbot/test", nil)
	r.time = 50 * time.Millisecond
	_, err := r.Read(t.Context(), server.URL+"/slow?key=abc")
	require.True(t, fault.Is(err, fault.Unavailable))
	require.ErrorContains(t, err, "/slow did not arrive within 50ms")
	require.NotContains(t, err.Error(), "abc")
	<-left
}

func TestRead_TellsStrangersNothingOfTheServersOwnNetwork(t *testing.T) {
	t.Parallel()
	r := NewPublic("xbot/test", nil)
	for _, address := range safehttptest.Inside("8080") {
		_, err := r.Read(t.Context(), address)
		require.ErrorContains(t, err, safehttp.Nowhere, address)
		require.NotContains(t, err.Error(), "XBOT_HTTP_ALLOW")
	}
	_, err := r.Read(t.Context(), "http://no-such-host.invalid/")
	require.ErrorContains(t, err, safehttp.Nowhere)
}

var home = &url.URL{Scheme: "https", Host: "example.com", Path: "/a/b"}

func TestStrain_LetsNothingThroughThatWasNotATag(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"<<font>p>":                             "&lt; p>",
		"<textarea><p onclick=x></textarea>y":   "y",
		"<xmp><p></xmp>":                        "<pre>&lt;p></pre>",
		"<title><script></title>":               "<title>&lt;script></title>",
		`<p onclick="x" style="color:red">a`:    "<p>a",
		`<b class=x id=y><code class=z>a`:       "<strong><code>a",
		`<a href="java&#10;script:x">a</a>`:     "<a>a</a>",
		`<a href="/x" href="/y" name=z>a`:       `<a href="/x">a`,
		`<td colspan=1000000 rowspan=3>`:        `<td rowspan="3">`,
		`<p class="` + strings.Repeat("x", 300): "",
		"<svg><style><p>a":                      "",
		"<svg><g>a<p>b":                         " <p>b",
		"</p></br>a&amp;lt;":                    "</p>a&amp;lt;",
	} {
		require.Equal(t, "<!DOCTYPE html>"+want, string(limit(src, home).html), src)
	}
}

// hostile are pages that would take minutes or gigabytes.
func hostile() map[string]string {
	again := strings.Repeat
	formats := ""
	for i := range 400 {
		formats += fmt.Sprintf("<font size=%d><b class=x%d><a href=/%d>", i, i, i)
	}
	return map[string]string{
		"formats opened again in each block": "<p>" + formats + again("<p>x", 60_000),
		"the same of three kinds":            "<p>" + again("<em><strong><code>", 3) + again("<p>x", 30_000),
		"text deep inside":                   again("<div>", 400) + again("text ", 60_000),
		"deeper than trees are":              again("<div>", 5000) + again("text ", 5_000),
		"quotes in quotes":                   again("<blockquote>", 200) + again("line<br>", 500),
		"lists in lists":                     again("<ul><li>", 200) + again("line<br>", 500),
		"a wide row and many rows":           "<table><tr>" + again("<td>", 1_000) + again("<tr><td>x", 200),
		"spans":                              "<table>" + again("<tr>"+again("<td colspan=50 rowspan=50>x", 10), 50),
		"spans of millions":                  "<table><tr><td colspan=99999999 rowspan=99999999>x",
		"one wide cell":                      "<table><tr><td>" + again("x", 100_000) + again("<tr><td>x<td>y", 1_000),
		"tables in tables":                   again("<table><tr><td>", 160) + again("x ", 1_000),
		"attributes":                         "<p " + again("a=b ", 50_000) + ">x",
		"one attribute":                      `<p class="` + again("x", 1_000_000) + `">x`,
		"marks of Markdown":                  again("*_`[#", 5_000),
		"a long fence":                       "<pre>" + again("`", 200_000),
		"more than is kept":                  "<pre>" + again("`", 2_000_000),
	}
}

func TestMarkdown_BoundsWhatHostilePagesCost(t *testing.T) {
	t.Parallel()
	for name, src := range hostile() {
		got := markdown(src, home)
		require.NotEmpty(t, got.text, name)
		require.LessOrEqual(t, len(got.text), min(maxText, 4*len(src)), name)
		require.Less(t, strings.Count(got.text, "|"), 20_000, name)
	}
}

func TestMarkdown_KeepsTheColumnsOfMergedCells(t *testing.T) {
	t.Parallel()
	got := markdown(`<table><tr><th>a<th>b<th>c<tr><td colspan=2>1<td>2<tr><td>3<td>4<td>5</table>`, home)
	require.Equal(t, "| a | b | c |\n|---|---|---|\n| 1 |  | 2 |\n| 3 | 4 | 5 |", got.text)
}

func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		`<title>a</title><article><p>b<table><tr><td colspan=2>c<td>d</table></article>`, "<svg><title>a</title><p>b", `<a href="//x">y</a><base href=z>`,
		"<ol start=9><li><pre>`<blockquote>|", "<<b>p><textarea><p>", "</p><table><a><td><a>", "<p>\u202e\x00&#0;&nbsp;", "<select><option>x<p>y", strings.Repeat("<div>", 600),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		got := markdown(src, home)
		require.True(t, utf8.ValidString(got.text))
		require.LessOrEqual(t, len(got.text), maxText)
		require.False(t, strings.ContainsFunc(got.text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }))
		require.NotContains(t, got.title, "\n")
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\xff\xfea\x00"), "text/html")
	f.Add([]byte("<meta charset=gbk>\xce\xd2\xc3\xc7"), "text/html; charset=utf-8")
	f.Add([]byte("caf\xe9"), "text/plain; charset=iso-2022-jp")
	f.Add([]byte("x"), "text/html; charset=replacement")
	f.Fuzz(func(t *testing.T, data []byte, contentType string) {
		require.True(t, utf8.ValidString(clean(utf8Of(data, contentType))))
		require.NotContains(t, kindOf(contentType, data), "\n")
	})
}
