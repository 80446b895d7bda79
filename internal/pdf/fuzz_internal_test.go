package pdf

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"count":3}{"page":1,"text":"one\r\n\u0000two"}{"page":2,"problem":"page"}{"end":true}`), false)
	f.Add([]byte(`{"count":3}{"page":1,"picture":"iVBORw0K"}{"end":true}`), true)
	f.Add([]byte(`{"problem":"encrypted"}`), false)
	f.Add([]byte(`{"count":-1}{"end":true}`), false)
	f.Fuzz(func(t *testing.T, answer []byte, pictures bool) {
		want := Want{Pages: All, Pictures: pictures}
		d, err := parse(answer, want)
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
			return
		}
		require.Positive(t, d.Count)
		require.LessOrEqual(t, len(d.Pages), want.most())
		for _, p := range d.Pages {
			require.True(t, p.Number >= 1 && p.Number <= d.Count)
			require.NotContains(t, p.Text, "\x00")
		}
	})
}

func FuzzParsePages(f *testing.F) {
	f.Add("1-5,9")
	f.Fuzz(func(t *testing.T, list string) {
		pages, err := ParsePages(list)
		if err != nil {
			return
		}
		require.NotEmpty(t, pages)
		for _, r := range pages {
			require.True(t, 1 <= r.First && r.First <= r.Last && r.Last <= maxPage)
		}
	})
}
