package file

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

// FuzzApply: an edit never panics; a plain one over the whole file agrees with strings.Replace; one that is refused has
// a readable sentence.
func FuzzApply(f *testing.F) {
	f.Add("a\nb\nc\n", "b", "x", false, false, 0, 0)
	f.Add("a\r\nb\r\n", "a\nb", "x\ny", false, false, 0, 0)
	f.Add("aXbX", "(X)|$", "$1$$${0}", true, true, 1, 2)
	f.Add("", "", "", true, false, -1, 3)
	f.Add("\n\n\n", "\n", "", true, false, 2, 9)
	f.Add("func  main() {\n", "func main() {\n\n", "", false, false, 0, 0)
	f.Fuzz(func(t *testing.T, content, old, with string, all, regex bool, start, end int) {
		if start > 1<<20 || end > 1<<20 {
			return // counting to a line nobody has is slow, not wrong
		}
		p := replaceParams{OldString: old, NewString: with, ReplaceAll: all, Regex: regex, StartLine: start, EndLine: end}
		edited, lines, err := text{content: content}.apply(p)
		if err != nil {
			require.Contains(t, []fault.Kind{fault.Invalid, fault.NotFound, fault.TooLarge}, fault.KindOf(err))
			return
		}
		require.NotEmpty(t, lines)
		require.NotEqual(t, content, edited)
		if !all {
			require.Len(t, lines, 1)
		}
		if regex || start > 1 || end > 0 || strings.Contains(content, "\r") || !strings.Contains(content, old) {
			return // the ends of lines have tests of their own
		}
		require.Equal(t, strings.ReplaceAll(content, old, with), edited)
	})
}

func TestNearest_IgnoresBlankLinesInFront(t *testing.T) {
	t.Parallel()
	line, spaces := nearest([]string{"x", "", "\tfoo( a )", "y"}, []string{"", "foo(a)"})
	require.Equal(t, 1, line)
	require.True(t, spaces)
	line, _ = nearest([]string{"x"}, []string{"", " "})
	require.Equal(t, -1, line)
}
