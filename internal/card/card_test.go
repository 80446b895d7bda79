package card_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/card"
	"xbot/internal/fault"
)

func survey() card.Card {
	return card.Card{Title: " Lunch\n", Elements: []card.Element{
		{Kind: card.Markdown, Text: "Where to?\u202e\x00"},
		{Kind: card.Table, Columns: []string{"place", "price"}, Rows: [][]string{{"a|b", "3"}}},
		{Kind: card.Form, Name: "lunch"},
		{Kind: card.Select, Form: "lunch", Name: "place", Text: "Place", Options: []string{"Noodles", "Rice"}},
		{Kind: card.Input, Form: "lunch", Name: "why", Text: "Why"},
		{Kind: card.Button, Form: "lunch", Text: "Go"},
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
	form, send := card.Element{Kind: card.Form, Name: "f"}, card.Element{Kind: card.Button, Form: "f", Text: "Send"}
	field := func(name string) card.Element {
		return card.Element{Kind: card.Input, Form: "f", Name: name, Text: "x"}
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
		"form unknown":       {[]card.Element{field("a")}, `no form "f" before it`},
		"name twice":         {[]card.Element{form, field("a"), field("a"), send}, `"a" is taken by a input`},
		"name of the answer": {[]card.Element{form, field("action"), send}, "taken by the answer itself"},
		"name":               {[]card.Element{form, field("A b"), send}, "name must be"},
		"no button":          {[]card.Element{form, field("a")}, "no button that sends it"},
		"two forms":          {[]card.Element{form, send, {Kind: card.Form, Name: "g"}, {Kind: card.Button, Form: "g", Text: "y"}}, "one form"},
		"form in form":       {[]card.Element{form, {Kind: card.Form, Name: "g", Form: "f"}, send}, "cannot stand in a form"},
		"table in form":      {[]card.Element{form, {Kind: card.Table, Form: "f", Columns: []string{"x"}}, send}, "cannot stand in a form"},
		"buttons alike":      {[]card.Element{{Kind: card.Button, Text: "x"}, {Kind: card.Button, Text: " x"}}, "already"},
		"no options":         {[]card.Element{form, {Kind: card.Select, Form: "f", Name: "a", Text: "x"}, send}, "have options"},
		"row":                {[]card.Element{{Kind: card.Table, Columns: []string{"x"}, Rows: [][]string{{"1", "2"}}}}, "row 1 has 2 cells"},
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
