package tool_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/tool"
)

func TestClean_MakesOutputReadable(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"plain\n":                                  "plain\n",
		"\x1b[1;31mred\x1b[0m text":                "red text",
		"\x1b]0;title\x07after":                    "after",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
		"10%\r50%\r100%\ndone":                     "100%\ndone",
		"windows\r\nlines\r\n":                     "windows\nlines\n",
		"bell\x07 and \x00nul":                     "bell and nul",
		"bad \xff\xfe bytes":                       "bad \uFFFD bytes",
		"\x1b(Bcharset\x1b=":                       "charset",
		"中文 ✓":                                     "中文 ✓",
	}
	for in, want := range cases {
		require.Equal(t, want, tool.Clean([]byte(in)), "%q", in)
	}
}

// FuzzClean: no byte of a terminal sequence survives, and cleaning is stable.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"\x1b[31mred", "a\rb", "\x1b]8;;x\x1b\\", "\xff", "\x1b\x1b[", "\x1b", "\r\r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, output []byte) {
		text := tool.Clean(output)
		require.NotContains(t, text, "\x1b")
		require.NotContains(t, text, "\r")
		require.Equal(t, text, tool.Clean([]byte(text)))
	})
}
