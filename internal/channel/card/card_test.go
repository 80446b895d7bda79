package card_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/card"
	"xbot/internal/fault"
)

func survey() card.Card {
	return card.Card{Title: " Lunch\n", Elements: []card.Element{
		{Kind: card.Markdown, Text: "Where to?\u202e\x00"},
		{Kind: card.Table, Columns: []string{"place", "price"}, Rows: [][]string{{"a|b", "3"}}},
		{Kind: card.Form, Name: "lunch"},
		{Kind: card.Select, In: "lunch", Name: "place", Text: "Place", Options: []string{"Noodles", "Rice"}},
		{Kind: card.Input, In: "lunch", Name: "why", Text: "Why"},
		{Kind: card.Button, In: "lunch", Text: "Go"},
		{Kind: card.Button, Text: "Menu", URL: "https://example.com/menu"},
	}}
}

func TestCheck_KeepsWhatCanBeShownAndSaysItInWords(t *testing.T) {
	t.Parallel()
	got, err := card.Check(survey())
	require.NoError(t, err)
	require.Equal(t, "Lunch", got.Title)
	require.Equal(t, "Where to?", got.Elements[0].Text)
	require.True(t, got.Asks())
	require.Equal(t, "**Lunch**\n\nWhere to?\n\n| place | price |\n| --- | --- |\n| a\\|b | 3 |\n\nPlace: Noodles / Rice\n\nWhy: ____\n\n[ Go ]\n\nMenu: https://example.com/menu", card.Text(got))
	again, err := card.Check(got)
	require.NoError(t, err)
	require.Equal(t, got, again, "what fits stays as it is")
}

func TestCheck_SaysWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	form, send := card.Element{Kind: card.Form, Name: "f"}, card.Element{Kind: card.Button, In: "f", Text: "Send"}
	area, columns := card.Element{Kind: card.Area, Name: "a", Text: "Take"}, card.Element{Kind: card.Columns, Name: "c", Count: 2}
	chart := func(kind string, columns []string, rows ...[]string) []card.Element {
		return []card.Element{{Kind: card.Chart, Chart: kind, Columns: columns, Rows: rows}}
	}
	text := func(said string) []card.Element { return []card.Element{{Kind: card.Markdown, Text: said}} }
	field := func(name string) card.Element {
		return card.Element{Kind: card.Input, In: "f", Name: name, Text: "x"}
	}
	open := func(address string) []card.Element {
		return []card.Element{{Kind: card.Button, Text: "x", URL: address}}
	}
	for name, c := range map[string]struct {
		elements []card.Element
		says     string
	}{
		"nothing":            {nil, "has no elements"},
		"no such element":    {[]card.Element{{Kind: "at", Text: "all"}}, "no such element"},
		"field outside":      {[]card.Element{{Kind: card.Input, Name: "a", Text: "x"}}, "must stand in a form"},
		"form unknown":       {[]card.Element{field("a")}, `no container "f" before it`},
		"name twice":         {[]card.Element{form, field("a"), field("a"), send}, `"a" is taken by a input`},
		"name of the answer": {[]card.Element{form, field("action"), send}, "taken by the answer itself"},
		"name":               {[]card.Element{form, field("A b"), send}, "name must be"},
		"no button":          {[]card.Element{form, field("a")}, "no button that sends it"},
		"two forms":          {[]card.Element{form, send, {Kind: card.Form, Name: "g"}, {Kind: card.Button, In: "g", Text: "y"}}, "one form"},
		"form in form":       {[]card.Element{form, {Kind: card.Form, Name: "g", In: "f"}, send}, "a form stands in no container"},
		"table in form":      {[]card.Element{form, {Kind: card.Table, In: "f", Columns: []string{"x"}}, send}, "cannot stand in a form"},
		"buttons alike":      {[]card.Element{{Kind: card.Button, Text: "x"}, {Kind: card.Button, Text: " x"}}, "already"},
		"menu like button":   {[]card.Element{{Kind: card.Button, Text: "x"}, {Kind: card.Overflow, Options: []string{"y", "X"}}}, "already"},
		"menu in form":       {[]card.Element{form, {Kind: card.Overflow, In: "f", Options: []string{"y"}}, send}, "cannot stand in a form"},
		"area in form":       {[]card.Element{form, {Kind: card.Area, Name: "a", In: "f", Text: "y"}, send}, "cannot stand in a form"},
		"button in area":     {[]card.Element{area, {Kind: card.Button, In: "a", Text: "y"}}, "pressed as a whole"},
		"no column":          {[]card.Element{columns, {Kind: card.Divider, In: "c"}}, "1 to 2"},
		"column too far":     {[]card.Element{columns, {Kind: card.Divider, In: "c", Column: 3}}, "1 to 2"},
		"column of none":     {[]card.Element{form, {Kind: card.Divider, In: "f", Column: 1}, send}, "for what stands in a column_set"},
		"five columns":       {[]card.Element{{Kind: card.Columns, Name: "c", Count: 5}}, "2 to 4"},
		"form in panel":      {[]card.Element{{Kind: card.Panel, Name: "p", Text: "x"}, {Kind: card.Form, Name: "f", In: "p"}, send}, "a form stands in no container"},
		"chart in form":      {append([]card.Element{form}, card.Element{Kind: card.Chart, In: "f", Chart: "bar"}, send), "cannot stand in a form"},
		"no such chart":      {chart("radar", []string{"a", "b"}, []string{"x", "1"}), "bar, line, area, pie"},
		"no figure":          {chart("bar", []string{"a", "b"}, []string{"x", "1e9"}), "where a figure belongs"},
		"pie of two":         {chart("pie", []string{"a", "b", "c"}, []string{"x", "1", "2"}), "a pie has one series"},
		"two persons":        {[]card.Element{{Kind: card.Person, People: []string{"Ann", "Bob"}}}, "person_list"},
		"no picture":         {[]card.Element{{Kind: card.Image}}, "the path of one picture"},
		"path of nowhere":    {[]card.Element{{Kind: card.Image, Files: []string{"a.png"}}}, "cannot be the path"},
		"picture missing":    {[]card.Element{form, {Kind: card.PickImage, In: "f", Name: "a", Text: "x", Options: []string{"y", "z"}, Files: []string{"/a.png"}}, send}, "for each option"},
		"link of the client": {text("see [x](lark://client)"), "a link that begins with lark:"},
		"link by reference":  {text("see [x]\n\n[x]: javascript:alert(1)"), "a link that begins with javascript:"},
		"link in brackets":   {text("see <FILE:///etc/passwd>"), "a link that begins with file:"},
		"no options":         {[]card.Element{form, {Kind: card.Select, In: "f", Name: "a", Text: "x"}, send}, "have options"},
		"row":                {[]card.Element{{Kind: card.Table, Columns: []string{"x"}, Rows: [][]string{{"1", "2"}}}}, "row 1 has 2 cells, and there are 1 columns"},
		"script":             {open("javascript:alert(1)"), "must be an address"},
		"client":             {open("lark://client/x"), "must be an address"},
		"credentials":        {open("https://bank.example@evil.example/"), "must be an address"},
		"line break":         {open("https://example.com/\nx"), "must be an address"},
	} {
		_, err := card.Check(card.Card{Title: "t", Elements: c.elements})
		require.ErrorContains(t, err, c.says, name)
		require.True(t, fault.Is(err, fault.Invalid), name)
	}
	_, err := card.Check(card.Card{Title: "t", Elements: []card.Element{{Kind: card.Markdown, Text: strings.Repeat("x", card.MaxBytes)}}})
	require.True(t, fault.Is(err, fault.TooLarge))
}

func FuzzCheck(f *testing.F) {
	seed, err := json.Marshal(survey())
	require.NoError(f, err)
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		var c card.Card
		if json.Unmarshal(data, &c) != nil {
			return
		}
		fit, err := card.Check(c)
		if err != nil {
			return
		}
		again, err := card.Check(fit)
		require.NoError(t, err)
		require.Equal(t, card.Text(fit), card.Text(again))
	})
}

func TestCheck_TakesEveryKindAndDropsWhatItDoesNotHave(t *testing.T) {
	t.Parallel()
	got, err := card.Check(card.Card{Title: "All", Elements: []card.Element{
		{Kind: card.Columns, Name: "two", Count: 2},
		{Kind: card.Markdown, In: "two", Column: 1, Text: "left", Rows: [][]string{{"hidden"}}, Options: []string{"hidden"}},
		{Kind: card.Panel, In: "two", Column: 2, Name: "more", Text: "More"},
		{Kind: card.Person, In: "more", People: []string{" Ann "}},
		{Kind: card.Area, Name: "take", Text: "Take it"},
		{Kind: card.Chart, Chart: "Pie", Text: "Shares", Columns: []string{"who", "share"}, Rows: [][]string{{"Ann", "1.5"}}},
		{Kind: card.People, In: "take", People: []string{"Ann", "Bob"}},
		{Kind: card.Form, Name: "f"},
		{Kind: card.Checker, In: "f", Name: "sure", Text: "I am sure", Required: true},
		{Kind: card.PickPeople, In: "f", Name: "who", Text: "Who"},
		{Kind: card.PickImage, In: "f", Name: "look", Text: "Look", Options: []string{"A", "B"}, Files: []string{"/a.png", "/b.png"}},
		{Kind: card.Images, Files: []string{"/x/../a.png", "/b.png"}},
		{Kind: card.Button, In: "f", Text: "Send"},
		{Kind: card.Button, In: "f", Text: "Rules", URL: "https://example.com"},
		{Kind: card.Overflow, Options: []string{"Later", "Never"}},
	}})
	require.NoError(t, err)
	require.Equal(t, []string{"Take it", "Send", "Later", "Never"}, got.Actions())
	require.False(t, got.Requires(), "an entry of a menu answers without the form")
	require.Equal(t, card.Element{Kind: card.Markdown, In: "two", Column: 1, Text: "left"}, got.Elements[1])
	require.Equal(t, "**All**\n\nleft\n\n**More**\n\nAnn\n\nAnn, Bob\n\n[ Take it ]\n\n**Shares**\n\n| who | share |\n| --- | --- |\n| Ann | 1.5 |\n\n"+
		"☐ I am sure\n\nWho: ____\n\nLook: A / B\n\n[ Send ]\n\nRules: https://example.com\n\n🖼 a.png, b.png\n\n[ Later ] [ Never ]", card.Text(got))
}

func TestCheck_CountsWhatPlatformsCount(t *testing.T) {
	t.Parallel()
	options := make([]string, card.MaxOptions)
	for i := range options {
		options[i] = fmt.Sprint("option ", i)
	}
	elements := []card.Element{{Kind: card.Form, Name: "f"}}
	for i := range 6 {
		elements = append(elements, card.Element{Kind: card.Select, In: "f", Name: fmt.Sprint("f", i), Text: "x", Options: options})
	}
	_, err := card.Draft(card.Card{Title: "t", Elements: elements})
	require.True(t, fault.Is(err, fault.TooLarge))
	require.ErrorContains(t, err, "elements, labels and options")
	_, err = card.Draft(card.Card{Title: "t", Elements: []card.Element{{Kind: card.Images, Files: make([]string, card.MaxFiles+1)}}})
	require.ErrorContains(t, err, "may have 9 pictures")
	_, err = card.Draft(card.Card{Title: "t", Elements: []card.Element{{Kind: card.Markdown, Text: strings.Repeat("<", card.MaxBytes/6)}}})
	require.ErrorContains(t, err, "bytes as it is shown", "what is made harmless grows")
}

func TestCheck_HasTheBoundsOfTheGuide(t *testing.T) {
	t.Parallel()
	many := func(n int, one func(i int) card.Element) (out []card.Element) {
		for i := range n {
			out = append(out, one(i))
		}
		return out
	}
	form := []card.Element{{Kind: card.Form, Name: "f"}, {Kind: card.Button, In: "f", Text: "Send"}}
	for says, bound := range map[string]func(over int) []card.Element{
		"elements": func(over int) []card.Element {
			return many(card.MaxElements+over, func(int) card.Element { return card.Element{Kind: card.Divider} })
		},
		"fields": func(over int) []card.Element {
			return append(slices.Clone(form), many(card.MaxFields+over, func(i int) card.Element {
				return card.Element{Kind: card.Date, In: "f", Name: fmt.Sprint("d", i), Text: "Day"}
			})...)
		},
		"8 buttons": func(over int) []card.Element {
			return many(card.MaxButtons+over, func(i int) card.Element { return card.Element{Kind: card.Button, Text: fmt.Sprint(i)} })
		},
		"entries of menus": func(over int) []card.Element {
			menu := card.Element{Kind: card.Overflow}
			for i := range card.MaxActions + over {
				menu.Options = append(menu.Options, fmt.Sprint(i))
			}
			return []card.Element{menu}
		},
		"charts": func(over int) []card.Element {
			return many(card.MaxCharts+over, func(int) card.Element {
				return card.Element{Kind: card.Chart, Chart: "bar", Columns: []string{"a", "b"}, Rows: [][]string{{"x", "1"}}}
			})
		},
		"deep": func(over int) []card.Element {
			return many(card.MaxDepth+over, func(i int) card.Element {
				e := card.Element{Kind: card.Panel, Name: fmt.Sprint("p", i), Text: "x"}
				if i > 0 {
					e.In = fmt.Sprint("p", i-1)
				}
				return e
			})
		},
	} {
		_, err := card.Check(card.Card{Title: "t", Elements: bound(0)})
		require.NoError(t, err, says)
		_, err = card.Check(card.Card{Title: "t", Elements: bound(1)})
		require.ErrorContains(t, err, says)
	}
}
