package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestParse_CostsAFieldWhatTheFieldHas(t *testing.T) {
	t.Parallel()
	type inner struct {
		Text Text `json:"text"`
	}
	for raw, want := range map[string]struct {
		text, word string
		count      int
		list       []string
	}{
		`{"text":"a","word":"b","count":3,"list":[{"text":"x"},{"text":"y"}]}`: {"a", "b", 3, []string{"x", "y"}},
		`{"text":null,"word":null,"count":null,"list":null}`:                   {},
		`{"text":{"a":1},"word":{"a":1},"count":{},"list":{"text":"x"}}`:       {`{"a":1}`, "", 0, []string{"x"}},
		`{"text":5,"word":5,"count":10.0,"list":"x"}`:                          {"5", "", 10, nil},
		`{"text":[],"word":[],"count":"7","list":[1,null,{"text":"x"},[]]}`:    {"[]", "", 7, []string{"x"}},
		`{"text":true,"word":false,"count":-4,"list":7}`:                       {"true", "", 0, nil},
		`{"text":"\ud83d\ude00","word":"\ud83d","count":1e99,"list":{}}`:       {"😀", "�", 0, []string{""}},
	} {
		var got struct {
			Text  Text        `json:"text"`
			Word  Word        `json:"word"`
			Count Count       `json:"count"`
			List  List[inner] `json:"list"`
		}
		require.NoError(t, Parse([]byte(raw), &got), raw)
		var list []string
		for _, one := range got.List {
			list = append(list, one.Text.String())
		}
		require.Equal(t, want.text, got.Text.String(), raw)
		require.Equal(t, want.word, string(got.Word), raw)
		require.Equal(t, want.count, int(got.Count), raw)
		require.Equal(t, want.list, list, raw)
	}
	require.Error(t, Parse([]byte(`{"text":`), &struct{}{}))
}

// quoteUnits writes a text as JSON in which every UTF-16 unit is escaped.
func quoteUnits(units []uint16) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, unit := range units {
		const digits = "0123456789ABCDEF"
		out.WriteString(`\u`)
		for shift := 12; shift >= 0; shift -= 4 {
			out.WriteByte(digits[unit>>shift&15])
		}
	}
	out.WriteByte('"')
	return out.String()
}

func FuzzSeam_PutsTogetherWhatWasCutAnywhere(f *testing.F) {
	f.Add("hi 😀!", 4)
	f.Add("macOS の", 7)
	f.Add("\x00", 0)
	f.Add("\xff\xed\xa0", 1)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		units := utf16.Encode([]rune(text))
		cut = max(0, min(cut, len(units)))
		var first, second Text
		require.NoError(t, json.Unmarshal([]byte(quoteUnits(units[:cut])), &first))
		require.NoError(t, json.Unmarshal([]byte(quoteUnits(units[cut:])), &second))
		var s Seam
		want := Clean(strings.ToValidUTF8(string([]rune(text)), "�"))
		require.Equal(t, want, s.Join(string(first))+s.Join(string(second))+s.Rest())

		cut = max(0, min(cut, len(text)))
		s = Seam{}
		got := s.Join(text[:cut]) + s.Join(text[cut:]) + s.Rest()
		require.True(t, utf8.ValidString(got))
		if utf8.ValidString(text) {
			require.Equal(t, Clean(text), got)
		}
	})
}
