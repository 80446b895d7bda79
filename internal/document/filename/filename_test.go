package filename_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/document/filename"
)

func TestFileName_KeepsWhatIsHarmlessAndNothingElse(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"report.pdf": "report.pdf", "季度 报告.pdf": "季度 报告.pdf", "naïve résumé.txt": "naïve résumé.txt", "👩\u200d💻.md": "👩\u200d💻.md",
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

func TestAttack_FileNamesHideNothing(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]rune{
		"soft hyphen": 0xad, "combining grapheme joiner": 0x34f, "Arabic letter mark": 0x61c, "Hangul filler": 0x115f, "Khmer vowel": 0x17b4,
		"Mongolian variation selector": 0x180b, "Mongolian vowel separator": 0x180e, "zero width space": 0x200b, "left-to-right mark": 0x200e,
		"right-to-left mark": 0x200f, "line separator": 0x2028, "embedding": 0x202a, "override": 0x202e, "word joiner": 0x2060, "invisible times": 0x2062,
		"isolate": 0x2066, "pop isolate": 0x2069, "deprecated shaping": 0x206f, "Hangul filler of two": 0x3164, "byte order mark": 0xfeff,
		"half-width filler": 0xffa0, "reserved": 0xfff0, "annotation anchor": 0xfff9, "annotation separator": 0xfffa, "annotation terminator": 0xfffb,
		"shorthand format": 0x1bca0, "musical beam": 0x1d173, "language tag": 0xe0001, "tag letter": 0xe0041, "cancel tag": 0xe007f, "variation selector": 0xe0100,
		"reserved tag": 0xe0fff, "joiner behind ASCII": 0x200d, "non-joiner behind ASCII": 0x200c, "emoji style behind ASCII": 0xfe0f, "delete": 0x7f, "next line": 0x85,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := filename.Safe("invoice" + string(r) + "fdp.e" + string(r) + "xe" + string(r))
			require.Contains(t, []string{"invoicefdp.exe", "invoice fdp.e xe"}, got, "%q", got) // a space that can be seen is one
		})
	}
	for _, kept := range []string{"👩\u200d💻.md", "❤️.txt", "می\u200cخواهم.pdf", "क्\u200dष.txt", "؀١٢.txt", "한글.txt", "ﾊﾟ.txt"} {
		require.Equal(t, kept, filename.Safe(kept))
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
