package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGathered_PutsStateTogetherAsItsProviderWantsIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pieces []string
		want   string
	}{
		"a text":             {[]string{`{"a":"x"}`, `{"a":"y"}`}, `{"a":"xy"}`},
		"the same text":      {[]string{`{"a":"x"}`, `{"a":"x"}`}, `{"a":"x"}`},
		"halves":             {[]string{`{"a":"\ud83d"}`, `{"a":"\ude00"}`}, `{"a":"😀"}`},
		"objects":            {[]string{`{"a":{"b":1,"c":1}}`, `{"a":{"c":2}}`}, `{"a":{"b":1,"c":2}}`},
		"numbers":            {[]string{`{"a":1}`, `{"a":2}`}, `{"a":2}`},
		"other types":        {[]string{`{"a":"x"}`, `{"a":[1]}`}, `{"a":[1]}`},
		"lists":              {[]string{`{"a":[1,"x"]}`, `{"a":[null,{"b":1}]}`}, `{"a":[1,"x",null,{"b":1}]}`},
		"known fields":       {[]string{`{"role":"assistant","content":"x","empty":[],"no":null}`}, `{}`},
		"a thought":          {[]string{`{"a":[{"type":"t","text":"x","index":0}]}`, `{"a":[{"type":"t","text":"y","index":0},{"type":"t","signature":"S","index":0}]}`}, `{"a":[{"type":"t","text":"xy","signature":"S","index":0}]}`},
		"two thoughts":       {[]string{`{"a":[{"type":"t","text":"x","index":0}]}`, `{"a":[{"type":"t","text":"y","index":1}]}`}, `{"a":[{"type":"t","text":"x","index":0},{"type":"t","text":"y","index":1}]}`},
		"signed, then more":  {[]string{`{"a":[{"type":"t","text":"x","signature":"S"}]}`, `{"a":[{"type":"t","text":"y"}]}`}, `{"a":[{"type":"t","text":"x","signature":"S"},{"type":"t","text":"y"}]}`},
		"encrypted":          {[]string{`{"a":[{"type":"e","data":"x"}]}`, `{"a":[{"type":"e","data":"y"}]}`}, `{"a":[{"type":"e","data":"x"},{"type":"e","data":"y"}]}`},
		"an empty signature": {[]string{`{"a":[{"type":"t","text":"x","signature":""}]}`, `{"a":[{"type":"t","text":"y","signature":null}]}`}, `{"a":[{"type":"t","text":"xy","signature":""}]}`},
	} {
		var g fieldCollector
		for _, piece := range c.pieces {
			g.add(otherFields([]byte(piece), partFields))
		}
		got := g.whole()
		if got == nil {
			got = fields{}
		}
		require.JSONEq(t, c.want, string(encode(got)), name)
	}
}

func TestGathered_IsBoundedAndQuickForLongThoughts(t *testing.T) {
	t.Parallel()
	var g fieldCollector
	for range 20_000 {
		g.add(fields{"reasoning_details": json.RawMessage(`[{"type":"reasoning.text","text":"some words ","format":"anthropic-claude-v1","index":0}]`)})
	}
	var list []map[string]any
	require.NoError(t, json.Unmarshal(g.whole()["reasoning_details"], &list))
	require.Len(t, list, 1)
	require.Equal(t, strings.Repeat("some words ", 20_000), list[0]["text"])
	require.NotNil(t, state{"o", g.whole(), nil}.opaque(false))

	g = fieldCollector{}
	g.add(fields{"a": json.RawMessage(`"` + strings.Repeat("x", maxState) + `"`)})
	require.Nil(t, state{"o", g.whole(), nil}.opaque(false))
	g.add(fields{"a": json.RawMessage(`"` + strings.Repeat("x", maxGathered) + `"`)})
	require.Nil(t, g.whole())
}
