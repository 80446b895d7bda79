package text_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/cli/text"
)

func TestPlain_TakesOutWhatWouldDriveTheTerminal(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\n\ttext":                "plain\n\ttext",
		"\x1b[31mred\x1b[0m":           "red",
		"\x1b]0;title\x07x":            "x",
		"\u009b31mred":                 "31mred",
		"50%\r100%\r\nnext":            "100%\nnext",
		"\x1b[2J\x1b[Hcleared":         "cleared",
		"if access \u202e level":       "if access  level",
		"中文 and \U0001F600":            "中文 and \U0001F600",
		"bell\x07":                     "bell",
		"\x1b]52;c;Y2xpcGJvYXJk\x07cl": "cl",
	} {
		require.Equal(t, want, text.Plain(in), "%q", in)
	}
	require.Equal(t, "a b", text.Line(" a\n\x1b[1mb "))
}

// FuzzPlain: nothing that drives a terminal survives.
func FuzzPlain(f *testing.F) {
	f.Add("\x1b[31mx")
	f.Add("\x1b\x1b]x\u009c\r")
	f.Add("\xff\u009b")
	f.Fuzz(func(t *testing.T, in string) {
		out := text.Plain(in)
		require.False(t, strings.ContainsFunc(out, func(r rune) bool {
			return r != '\n' && r != '\t' && unicode.IsControl(r)
		}))
	})
}
