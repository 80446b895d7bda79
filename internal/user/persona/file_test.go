package persona_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/user/persona"
)

func TestCheckFile_TakesMarkdownAndJSONOfOneName(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"tone.md": "dry", "my habits-2.json": `{"tea": true}`, "语气.md": "简洁", "a.b.md": "", "x.json": ""} {
		require.NoError(t, persona.CheckFile(name, content), name)
	}
	for _, name := range []string{"", ".md", "tone", "tone.txt", "a/b.md", "../a.md", "a\nb.md", " a.md", "a.MD", strings.Repeat("a", 97) + ".md"} {
		require.Equal(t, fault.Invalid, fault.KindOf(persona.CheckFile(name, "x")), name)
	}
	require.Equal(t, fault.Invalid, fault.KindOf(persona.CheckFile("a.json", "{")))
	require.Equal(t, fault.TooLarge, fault.KindOf(persona.CheckFile("a.md", strings.Repeat("x", chat.MaxSoulFile+1))))
}

func FuzzCheckFile_NamesAreOneNameAndShort(f *testing.F) {
	for _, name := range []string{"tone.md", "../x.md", "a/b.json", "语气.md", "a\x00.md"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if persona.CheckFile(name, "") != nil {
			return
		}
		require.True(t, utf8.ValidString(name))
		require.LessOrEqual(t, utf8.RuneCountInString(name), 101)
		require.NotContains(t, name, "/")
		require.NotContains(t, name, `\`)
		require.False(t, strings.HasPrefix(name, "."))
	})
}
