package jsonlimit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/host/jsonlimit"
)

func TestCheck_BoundsMembersAndDepth(t *testing.T) {
	t.Parallel()
	limits := jsonlimit.Limits{Items: 10, Depth: 3}
	for text, refused := range map[string]bool{
		``:                                false,
		`"text"`:                          false,
		`[1,2,3,4,5,6,7,8,9,10]`:          false,
		`[1,2,3,4,5,6,7,8,9,10,11]`:       true,
		`[[],[],[],[],[]]`:                false,
		`[[],[],[],[],[],[]]`:             true,
		`{"a":{"b":{"c":1}}}`:             false,
		`{"a":{"b":{"c":{}}}}`:            true,
		`[[[[`:                            true,
		`{"a":[{"b":[`:                    true,
		`[[[]]]`:                          false,
		`"[[[[[[{{{{{{,,,,,,,,,,,,,,,,"`:  false,
		`"\"[[[[[[[["`:                    false,
		`"\\",[[[[[[[[`:                   true,
		`"\\\"[[[[[[[["`:                  false,
		`{"[[[[[[[[[[[[":1}`:              false,
		strings.Repeat(" ", 1000) + `[]`:  false,
		`[` + strings.Repeat(`"",`, 100):  true,
		`{` + strings.Repeat(`"":0,`, 11): true,
	} {
		err := limits.Check([]byte(text))
		require.Equal(t, refused, err != nil, text)
		if refused {
			require.Equal(t, fault.TooLarge, fault.KindOf(err), text)
		}
	}
}

func TestCheck_OfADeepTextTakesNoMemory(t *testing.T) {
	deep := []byte(strings.Repeat("[", 8<<20))
	require.LessOrEqual(t, testing.AllocsPerRun(5, func() { require.Error(t, jsonlimit.Default.Check(deep)) }), 50.0)
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{`{}`, `[[1],{"a":"\""}]`, `"\\"`, `{"a\\":[{"b":[]}]}`, `[1,2`, `]]]][[[[`} {
		f.Add([]byte(seed))
	}
	limits := jsonlimit.Limits{Items: 5, Depth: 3}
	f.Fuzz(func(t *testing.T, text []byte) {
		if limits.Check(text) != nil {
			return
		}
		var decoded any
		if json.Unmarshal(text, &decoded) != nil {
			return
		}
		items, depth := count(decoded)
		require.LessOrEqual(t, depth, limits.Depth)
		require.LessOrEqual(t, items, limits.Items)
	})
}

// count returns the members and elements of a decoded text, and its depth.
func count(v any) (items, depth int) {
	var inner []any
	switch v := v.(type) {
	case map[string]any:
		for _, one := range v {
			inner = append(inner, one)
		}
	case []any:
		inner = v
	default:
		return 0, 0
	}
	for _, one := range inner {
		n, d := count(one)
		items, depth = items+n, max(depth, d)
	}
	return items + len(inner), depth + 1
}
