package tool_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/tool"
)

func TestDecode_ReadsWhatIsMeant(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		arguments string
		want      echoParams
	}{
		"as asked":                      {`{"text":"a","times":2,"loud":true}`, echoParams{Text: "a", Times: 2, Loud: true}},
		"numbers and booleans as text":  {`{"text":"a","times":" 2 ","loud":"True"}`, echoParams{Text: "a", Times: 2, Loud: true}},
		"a float that is whole":         {`{"text":"a","times":2.0}`, echoParams{Text: "a", Times: 2}},
		"a number as text":              {`{"text":42}`, echoParams{Text: "42"}},
		"an object in a string":         {`"{\"text\":\"a\"}"`, echoParams{Text: "a"}},
		"raw line breaks in a string":   {"{\"text\":\"a\n\tb\"}", echoParams{Text: "a\n\tb"}},
		"a backslash at the line's end": {"{\"text\":\"a \\\nb\"}", echoParams{Text: "a \\\nb"}},
		"camel case":                    {`{"Text":"a","TIMES":1}`, echoParams{Text: "a", Times: 1}},
		"null for what may be left out": {`{"text":"a","times":null,"items":null}`, echoParams{Text: "a"}},
		"a list in a string":            {`{"text":"a","items":"[{\"name\":\"x\"}]"}`, echoParams{Text: "a", Items: []item{{Name: "x"}}}},
		"a text for an object of one":   {`{"text":"a","items":["x",{"name":"y"}]}`, echoParams{Text: "a", Items: []item{{Name: "x"}, {Name: "y"}}}},
		"items are read kindly too":     {`{"text":"a","items":[{"Name":1,"done":"yes"}]}`, echoParams{Text: "a", Items: []item{{Name: "1", Done: true}}}},
		"the exact name wins":           {`{"Text":"b","text":"a"}`, echoParams{Text: "a"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got echoParams
			_, err := tool.Decode(c.arguments, &got)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestDecode_EmptyArgumentsAreAnEmptyObject(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{"", "  ", "null", "{}", `""`, `"{}"`} {
		var got struct {
			Times int `json:"times,omitempty"`
		}
		_, err := tool.Decode(arguments, &got)
		require.NoError(t, err, arguments)
	}
}

func TestDecode_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ arguments, want string }{
		"missing":           {`{}`, "the argument text is missing; this tool takes text, times, loud, items"},
		"missing, misnamed": {`{"message":"a"}`, "the argument text is missing and message is not known; this tool takes"},
		"not a number":      {`{"text":"a","times":"often"}`, `times must be a whole number, not "often"`},
		"a fraction":        {`{"text":"a","times":1.5}`, "times must be a whole number, not 1.5"},
		"too large":         {`{"text":"a","times":9999999999}`, "times must be a whole number, not 9999999999"},
		"not a boolean":     {`{"text":"a","loud":"perhaps"}`, `loud must be true or false, not "perhaps"`},
		"not a list":        {`{"text":"a","items":3}`, "items must be a list, not 3"},
		"item incomplete":   {`{"text":"a","items":[{}]}`, "items[0]: the argument name is missing"},
		"object for text":   {`{"text":{"a":1}}`, `text must be text, not {"a":1}`},
		"an array":          {`[1]`, `they are of kind array; send an object such as {"key": "value"}`},
		"trailing text":     {`{"text":"a"} {"text":"b"}`, "more text follows the JSON object"},
		"bad syntax":        {`{"text":"a",,}`, `near "{\"text\":\"a\",,}"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got echoParams
			_, err := tool.Decode(c.arguments, &got)
			require.Error(t, err)
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			require.Contains(t, err.Error(), c.want)
		})
	}
}

// FuzzDecode: decoding never panics, its errors are readable sentences, and what was decoded decodes again to the
// same values.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"", "null", "{}", `{"text":"a","times":"2"}`, `"{\"text\":1}"`, "{\"text\":\"a\nb\\\n\"}", `{"text":"\ud800"}`,
		`{"text":"a","items":"[{\"name\":\"x\"}]"}`, `{"text":"a","items":[null]}`, `[`, `{"text"`, "\"\\\"", `{"":1}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, arguments string) {
		var first, second echoParams
		if _, err := tool.Decode(arguments, &first); err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			require.True(t, utf8.ValidString(err.Error()))
			return
		}
		written, err := json.Marshal(first)
		require.NoError(t, err)
		_, err = tool.Decode(string(written), &second)
		require.NoError(t, err)
		require.Equal(t, normal(first), normal(second))
	})
}

// normal forgets the difference between no list and an empty one.
func normal(p echoParams) echoParams {
	if len(p.Items) == 0 {
		p.Items = nil
	}
	return p
}
