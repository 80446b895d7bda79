package filename_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/filename"
)

func TestFileName_KeepsWhatIsHarmlessAndNothingElse(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"report.pdf": "report.pdf", "季度 报告.pdf": "季度 报告.pdf", "naïve résumé.txt": "naïve résumé.txt", "👩‍💻.md": "👩‍💻.md",
		"../../etc/passwd": "passwd", `C:\Users\a\x.txt`: "x.txt", "/": "file", "..": "file", ".": "file", "": "file", "a/": "file",
		".bashrc": "_.bashrc", "-rf": "_-rf", "--": "_--", "~root": "_~root", " x ": "x", "x. .": "x",
		"a\x00b\nc\td\x7f.txt": "ab c d.txt", "\x1b[31mred": "[31mred", "invoice\u202efdp.exe": "invoicefdp.exe", "\ufeffx": "x",
		"a\xffb": "a_b", "con:x|y*?": "con:x|y*?",
		strings.Repeat("a", 300) + ".pdf": strings.Repeat("a", 196) + ".pdf",
		strings.Repeat("字", 100) + ".txt": strings.Repeat("字", 65) + ".txt",
		"a." + strings.Repeat("b", 300):   "a." + strings.Repeat("b", 198),
	} {
		require.Equal(t, want, filename.Safe(sent), "%q", sent)
	}
}

func TestNumberedName_CountsBeforeTheEnding(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a.txt", filename.Numbered("a.txt", 0))
	require.Equal(t, "a-1.txt", filename.Numbered("a.txt", 1))
	require.Equal(t, "a-12", filename.Numbered("a", 12))
	long := filename.Numbered(filename.Safe(strings.Repeat("字", 100)+".txt"), 7)
	require.LessOrEqual(t, len(long), 200)
	require.True(t, strings.HasSuffix(long, "字-7.txt"), long)
}

func FuzzFileName(f *testing.F) {
	for _, seed := range []string{"a.txt", "../..", "-x", "\u202e", "字.字", strings.Repeat("é", 200), "\xff\xfe", ". . ."} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, sent string, n int) {
		name := filename.Safe(sent)
		for _, got := range []string{name, filename.Numbered(name, n&0xffff)} {
			require.NotEmpty(t, got)
			require.LessOrEqual(t, len(got), 200)
			require.True(t, utf8.ValidString(got))
			require.NotContains(t, []string{".", ".."}, got)
			require.False(t, strings.ContainsAny(got, "/\\\x00\n\r\x1b\x7f"))
			require.False(t, strings.HasPrefix(got, ".") || strings.HasPrefix(got, "-") || strings.HasPrefix(got, " "))
		}
		require.Equal(t, name, filename.Safe(name), "a safe name stays as it is")
	})
}
