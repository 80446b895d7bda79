package feishu

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/channel"
	design "xbot/internal/channel/card"
)

// grown are pieces of texts that a rendering makes longer.
var grown = []string{
	"x", "<at id=all>", "<", "]", "](", "[x](javascript:1)", "![](https://a.example/x.png)", "|-|-|\n", "\"", "\\", "\n", "é", "飞", "😀", "<font color=red>", "[a]: b:c", "`", "```\n",
}

func drawnText(t *rapid.T, label string, most int) string {
	piece, n := rapid.SampledFrom(grown).Draw(t, label), rapid.IntRange(1, most).Draw(t, "times")
	return "a" + strings.Repeat(piece, 1+n/len(piece))
}

func drawnLine(t *rapid.T, n int) string {
	text := []rune(fmt.Sprint(n, strings.ReplaceAll(drawnText(t, "label", 400), "\n", " ")))
	return string(text[:min(len(text), design.MaxTitle)])
}

// drawnForm adds a form with fields and buttons.
func drawnForm(t *rapid.T, add func(design.Element)) {
	add(design.Element{Kind: design.Form, Name: "form"})
	for n := range rapid.IntRange(0, design.MaxFields).Draw(t, "fields") {
		e := design.Element{Kind: rapid.SampledFrom(design.Fields).Draw(t, "field"), In: "form", Name: fmt.Sprintf("%s%d", strings.Repeat("n", 30), n), Text: drawnLine(t, n)}
		if e.Kind == design.PickImage {
			e.Options, e.Files = []string{drawnLine(t, 1), drawnLine(t, 2)}, []string{"/p/1.png", rapid.SampledFrom([]string{"/p/2.png", "/lost/" + strings.Repeat("<", 100)}).Draw(t, "file")}
		}
		if e.Kind == design.Select || e.Kind == design.MultiSelect {
			for o := range rapid.IntRange(1, design.MaxOptions).Draw(t, "options") {
				e.Options = append(e.Options, drawnLine(t, o))
			}
		}
		add(e)
	}
	for n := range rapid.IntRange(1, design.MaxButtons).Draw(t, "buttons") {
		add(design.Element{Kind: design.Button, In: "form", Text: drawnLine(t, n)})
	}
}

// drawnCard is a card that may fit or not, near its bounds.
func drawnCard(t *rapid.T) design.Card {
	made := design.Card{Title: drawnLine(t, 0), Subtitle: drawnLine(t, 0)}
	add := func(e design.Element) { made.Elements = append(made.Elements, e) }
	if rapid.Bool().Draw(t, "form") {
		drawnForm(t, add)
	}
	for n := range rapid.IntRange(0, 12).Draw(t, "others") {
		switch rapid.IntRange(0, 8).Draw(t, "other") {
		case 7:
			add(design.Element{Kind: design.Image, Text: drawnLine(t, n), Files: []string{rapid.SampledFrom([]string{"/p/2.png", "/lost/" + strings.Repeat("<", 100)}).Draw(t, "file")}})
		case 8:
			add(design.Element{Kind: design.Images, Text: drawnLine(t, n), Files: []string{"/p/1.png", "/p/2.png", "/lost/" + strings.Repeat("|", 100)}})
		case 0:
			add(design.Element{Kind: design.Markdown, Text: drawnText(t, "markdown", 6000)})
		case 1, 2:
			e := design.Element{Kind: design.Table, Text: "t", Chart: "bar"}
			if rapid.Bool().Draw(t, "chart") {
				e.Kind = design.Chart
			}
			for c := range rapid.IntRange(2, 10).Draw(t, "columns") {
				e.Columns = append(e.Columns, drawnLine(t, c))
			}
			for range rapid.IntRange(1, 30).Draw(t, "rows") {
				row := []string{drawnLine(t, 0)}
				for range e.Columns[1:] {
					row = append(row, "1234.5")
				}
				e.Rows = append(e.Rows, row)
			}
			add(e)
		case 3:
			add(design.Element{Kind: design.Columns, Name: fmt.Sprint("c", n), Count: 4})
			add(design.Element{Kind: design.People, In: fmt.Sprint("c", n), Column: 4, People: []string{"Ann", drawnLine(t, n)}})
		case 4:
			add(design.Element{Kind: design.Area, Name: fmt.Sprint("a", n), Text: drawnLine(t, 100+n)})
			add(design.Element{Kind: design.Divider, In: fmt.Sprint("a", n)})
		case 5:
			add(design.Element{Kind: design.Panel, Name: fmt.Sprint("p", n), Text: drawnLine(t, n)})
		default:
			add(design.Element{Kind: design.Overflow, Options: []string{drawnLine(t, 200+2*n), drawnLine(t, 201+2*n)}})
		}
	}
	return made
}

func tagged(v any) (n int) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			n += tagged(one)
		}
	case map[string]any:
		if v["tag"] != nil {
			n++
		}
		for _, one := range v {
			n += tagged(one)
		}
	}
	return n
}

// TestDesign_WhatFitsStaysBelowWhatThePlatformTakes holds that no card that may be sent is refused for its size, asked or settled.
func TestDesign_WhatFitsStaysBelowWhatThePlatformTakes(t *testing.T) {
	t.Parallel()
	fits := 0
	with := shownBy{names: map[string]string{"ou_" + strings.Repeat("1", 32): "Ann"}, keys: map[string]string{}}
	for n := range design.MaxFiles {
		with.keys[fmt.Sprintf("/p/%d.png", n)] = "img_v3_0239_8347760e-3173-4072-b1aa-e4e7c835741j"
	}
	id := strings.Repeat("c", 64)
	rapid.Check(t, func(t *rapid.T) {
		made, err := design.Check(drawnCard(t))
		if err != nil {
			return
		}
		fits++
		q := channel.Question{ID: id, Title: made.Title, Design: &made}
		asked := encode(askCard(q, with))
		require.LessOrEqual(t, len(asked), made.Size(), "a card is no larger than it is counted")
		require.LessOrEqual(t, len(asked), maxCard)
		var card map[string]any
		require.NoError(t, json.Unmarshal([]byte(asked), &card))
		require.LessOrEqual(t, tagged(card), made.Parts())
		settled := encode(settledCard(q, with, ""))
		require.LessOrEqual(t, len(settled), maxCard)
	})
	require.NotZero(t, fits)
}

var links = regexp.MustCompile(`(?i)\](?:\(|:)\s*<?\s*([^\s)>]*)|<(/?(?:a|raw)\b|[a-z][a-z0-9+.-]*:[^\s>]*)`)

func FuzzWritten(f *testing.F) {
	for _, seed := range []string{
		"[x](lark://client)", "[x]( <javascript:1>)", "[a]: data:x\n\n[a]", "<lark://x>", "[x]![]((lark://evil))", "<a href='lark://x'>", "[x](//evil)", "[x](https://a.example)",
		"[x]![](", "<https://a.example>", "`[x](javascript:1)`", "a < b", "]\n(x)", "[x](java\u200bscript:1)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		content, _ := written(text)["content"].(string)
		for _, found := range links.FindAllStringSubmatch(content, -1) {
			target := strings.ToLower(found[1] + found[2])
			require.True(t, strings.HasPrefix(target, "https://") || strings.HasPrefix(target, "http://"), "%q in %q", target, content)
		}
	})
}

func TestSettle_CutsAnAnswerThatACardDoesNotTake(t *testing.T) {
	t.Parallel()
	made, err := design.Check(design.Card{Title: "t", Elements: []design.Element{{Kind: design.Markdown, Text: strings.Repeat("x", 20_000)}}})
	require.NoError(t, err)
	content := fitted(channel.Question{Title: "t", Design: &made}, shownBy{}, strings.Repeat("飞", 20_000))
	require.LessOrEqual(t, len(content), maxCard)
	require.Contains(t, content, "飞…")
}

func TestReadCard_SaysWhatPeopleReadOnACardOfAModel(t *testing.T) {
	t.Parallel()
	made, err := design.Check(design.Card{Title: "Trip", Elements: []design.Element{
		{Kind: design.Panel, Name: "more", Text: "More"}, {Kind: design.Markdown, In: "more", Text: "two hours"},
		{Kind: design.Columns, Name: "two", Count: 2}, {Kind: design.Markdown, In: "two", Column: 2, Text: "right"},
		{Kind: design.Area, Name: "take", Text: "Take the train"},
		{Kind: design.Form, Name: "f"}, {Kind: design.Checker, In: "f", Name: "sure", Text: "I am sure"}, {Kind: design.Button, In: "f", Text: "Book"},
	}})
	require.NoError(t, err)
	read := readCard([]byte(encode(askCard(channel.Question{Design: &made}, shownBy{}))))
	require.Equal(t, []string{"Trip", "More", "two hours", "right", "**Take the train**", "I am sure", "[Book]"}, strings.Split(read, "\n"), "quoted, a card says what stood on it")
}
