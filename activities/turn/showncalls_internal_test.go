package turn

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities"
)

func FuzzCharacters_PiecesAreTheTextAsItIsKept(f *testing.F) {
	for _, text := range []string{`{"a":"字😀"}`, "a\x00b", "\xff\xff\xe5", "\xe5\xad", "\x80\x00\x80", "\uFFFD\xff", ""} {
		f.Add(text, uint(1))
		f.Add(text, uint(0x1b))
	}
	f.Fuzz(func(t *testing.T, text string, cuts uint) {
		var c characters
		told, rest := "", text
		for rest != "" {
			n := min(len(rest), int(cuts%5)) // also pieces of nothing
			if cuts /= 5; cuts == 0 {
				n = max(n, 1)
			}
			told, rest = told+c.next(rest[:n]), rest[n:]
		}
		kept := activities.Clean(text)
		if c.cut == "" {
			require.Equal(t, kept, told)
			return
		}
		require.True(t, strings.HasPrefix(kept, told), "%q does not begin with %q", kept, told)
	})
}
