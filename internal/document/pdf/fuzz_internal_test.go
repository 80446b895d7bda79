package pdf

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

func FuzzChecked(f *testing.F) {
	f.Add([]byte(`{"count":3,"pages":[{"number":1,"text":"one\r\n\u0000two"},{"number":2,"problem":"page"}]}`), false)
	f.Add([]byte(`{"count":3,"pages":[{"number":4,"picture":"iVBORw0K"}]}`), true)
	f.Add([]byte(`{"count":-1}`), false)
	f.Fuzz(func(t *testing.T, answer []byte, pictures bool) {
		var d Document
		if json.Unmarshal(answer, &d) != nil {
			return
		}
		want := Want{Pages: All, Pictures: pictures}
		d, err := d.checked(want)
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
			return
		}
		require.Positive(t, d.Count)
		require.LessOrEqual(t, len(d.Pages), want.Most())
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
