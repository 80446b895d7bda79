package elicit_test

import (
	"encoding/json"
	"fmt"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/elicit"
)

// form is one of one field, a.
func form(t *testing.T, field string) *elicit.Form {
	t.Helper()
	var schema any
	require.NoError(t, json.Unmarshal([]byte(`{"type":"object","properties":{"a":`+field+`},"required":["a"]}`), &schema))
	f, err := elicit.Parse("shop", &sdk.ElicitParams{Message: "Well?", RequestedSchema: schema})
	require.NoError(t, err)
	return f
}

func TestFill_MakesContentOfAnswers(t *testing.T) {
	t.Parallel()
	const colours = `"enum":["r","g"],"enumNames":["Red","Green"]`
	for _, c := range []struct {
		field, wrong string
		given        []string
		want         string
		says         string
	}{
		{field: `{"type":"string"}`, given: []string{" x "}, want: `" x "`},
		{field: `{"type":"string","maxLength":2}`, given: []string{"长长长"}, wrong: "more than 2"},
		{field: `{"type":"string","format":"email"}`, given: []string{" a@example.com "}, want: `"a@example.com"`},
		{field: `{"type":"string","format":"email"}`, given: []string{"a"}, wrong: "has not the format email"},
		{field: `{"type":"string","format":"date"}`, given: []string{"2026-02-30"}, wrong: "has not the format date"},
		{field: `{"type":"string","format":"date-time"}`, given: []string{"2026-02-03T04:05:06Z"}, want: `"2026-02-03T04:05:06Z"`},
		{field: `{"type":"string","format":"uri"}`, given: []string{"example"}, wrong: "has not the format uri"},
		{field: `{"type":"integer"}`, given: []string{"4"}, want: `4`},
		{field: `{"type":"integer"}`, given: []string{"4.5"}, wrong: "no whole number"},
		{field: `{"type":"integer","maximum":3}`, given: []string{"4"}, wrong: "more than 3"},
		{field: `{"type":"number"}`, given: []string{"4.5"}, want: `4.5`},
		{field: `{"type":"number"}`, given: []string{"NaN"}, wrong: "is no number"},
		{field: `{"type":"number","minimum":0}`, given: []string{"-1"}, wrong: "less than 0"},
		{field: `{"type":"boolean"}`, given: []string{"Yes · 是"}, want: `true`},
		{field: `{"type":"boolean"}`, given: []string{"No · 否"}, want: `false`},
		{field: `{"type":"string",` + colours + `}`, given: []string{"Green"}, want: `"g"`},
		{field: `{"type":"string","oneOf":[{"const":"r","title":"Red"}]}`, given: []string{"Red"}, want: `"r"`},
		{field: `{"type":"array","items":{"type":"string",` + colours + `}}`, given: []string{"Red", "Green"}, want: `["r","g"]`},
		{field: `{"type":"array","items":{"anyOf":[{"const":"r","title":"Red"}]},"minItems":2}`, given: []string{"Red"}, wrong: "less than 2"},
		{field: `{"type":"string","enum":["1","2","3","4","5","6","7","8","9"]}`, given: []string{"9"}, want: `"9"`},
		{field: `{"type":"string","enum":["1","2","3","4","5","6","7","8","9"]}`, given: []string{"0"}, wrong: "none of the choices"},
		{field: `{"type":"string"}`, given: nil, wrong: "an answer is needed"},
		{field: `{"type":"boolean","default":true}`, given: nil, want: `true`, says: "(default Yes · 是)"},
		{field: `{"type":"boolean","default":true}`, given: []string{"No · 否"}, want: `false`, says: "(default Yes · 是)"},
		{field: `{"type":"string",` + colours + `,"default":"g"}`, given: nil, want: `"g"`, says: "(default Green)"},
		{field: `{"type":"array","items":{"type":"string",` + colours + `},"default":["r","g"]}`, given: nil, want: `["r","g"]`, says: "(default Red, Green)"},
		{field: `{"type":"integer","default":3}`, given: []string{" "}, want: `3`, says: "(integer, default 3)"},
	} {
		f := form(t, c.field)
		_, asked, err := f.Fill(nil)
		require.NoError(t, err, c.field)
		require.Len(t, asked, 1)
		require.Contains(t, asked[0].Text, "MCP · shop: Well?")
		require.Contains(t, asked[0].Text, c.says)
		given := []elicit.Answered{{Questions: asked, Answers: chat.Answers{"q1": c.given}}}
		content, next, err := f.Fill(given)
		require.NoError(t, err, c.field)
		if c.wrong != "" {
			require.Contains(t, next[0].Text, c.wrong, c.field)
			require.Nil(t, content)
			continue
		}
		require.Nil(t, next, c.field)
		got, err := json.Marshal(content["a"])
		require.NoError(t, err)
		require.JSONEq(t, c.want, string(got), c.field)
	}
}

func TestFill_EndsWhereAnswersNeverFit(t *testing.T) {
	t.Parallel()
	f := form(t, `{"type":"integer"}`)
	var given []elicit.Answered
	for range 10 {
		_, asked, err := f.Fill(given)
		if err != nil {
			return
		}
		given = append(given, elicit.Answered{Questions: asked, Answers: chat.Answers{"q1": {fmt.Sprint("x", len(given))}}})
	}
	t.Fatal("it asks forever")
}

func TestParse_WhatCannotBeAskedIsRefused(t *testing.T) {
	t.Parallel()
	many := map[string]any{}
	for i := range 13 {
		many[fmt.Sprint("f", i)] = map[string]any{"type": "string"}
	}
	for name, p := range map[string]*sdk.ElicitParams{
		"nothing":            nil,
		"an address":         {Mode: "url", URL: "https://example.com", Message: "Look"}, // which is no form
		"too many fields":    {Message: "m", RequestedSchema: map[string]any{"properties": many}},
		"a field that is no": {Message: "m", RequestedSchema: map[string]any{"properties": map[string]any{"a": 7}}},
	} {
		_, err := elicit.Parse("shop", p)
		require.Error(t, err, name)
	}
}

func FuzzFill(f *testing.F) {
	f.Add("m\x00\u202e", []byte(`{"properties":{"a":{"type":"string","enum":["","a","A",7],"description":"\u0000"},"b":{"type":"array"}},"required":["a",3]}`), "1")
	f.Fuzz(func(t *testing.T, message string, schema []byte, answer string) {
		var s any
		if json.Unmarshal(schema, &s) != nil {
			return
		}
		asking := (&elicit.Calls{}).Begin("c", nil, false, nil)
		if _, err := asking.Elicit("shop", &sdk.ElicitParams{Message: message, RequestedSchema: s}); err == nil {
			return
		}
		asked := asking.Next()
		require.NotEmpty(t, asked)
		require.LessOrEqual(t, len(asked), chat.MaxInquiries)
		answers := chat.Answers{}
		for _, q := range asked {
			require.NotContains(t, q.Text, "\x00")
			require.NotContains(t, q.Text, "\u202e")
			answers[q.Name] = []string{answer}
		}
		again := (&elicit.Calls{}).Begin("c", &chat.Approval{Questions: asked, Answers: answers}, false, nil)
		_, _ = again.Elicit("shop", &sdk.ElicitParams{Message: message, RequestedSchema: s}) // whatever it is, it ends
	})
}
