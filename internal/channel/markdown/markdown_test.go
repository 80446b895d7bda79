package markdown_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/markdown"
)

func TestCode_HoldsWhateverBackticksThereAre(t *testing.T) {
	for text, want := range map[string]string{"": "", "ls": "`ls`", "a`b": "`` a`b ``", "``": "``` `` ```"} {
		require.Equal(t, want, markdown.Code(text))
	}
	require.Equal(t, "`a'b`", markdown.Quoted("a`b"))
}

func TestFenced_IsNotLeftByWhatItShows(t *testing.T) {
	require.Equal(t, "````text\n```\nx\n````", markdown.Fenced("```\nx"))
	require.Equal(t, "```json\n{}\n```", markdown.FencedAs("json", "{}"))
	require.True(t, strings.HasSuffix(markdown.Fenced(strings.Repeat("字", 30_000)), "字\n[…]\n```"))
}

func TestBlock_IsWhole(t *testing.T) {
	long := strings.Repeat("字", 30_000)
	require.Equal(t, "```\n"+long+"\n```", markdown.Block(long))
	require.Equal(t, "`````\n````\n`````", markdown.Block("````"))
}

func TestLine_ShowsWhatAReaderCannotSee(t *testing.T) {
	for text, want := range map[string]string{"": "` `", "a\nb\tc": "`a\\nb\\tc`", "rm \u202e x`": "`` rm \\u202e x` ``"} {
		require.Equal(t, want, markdown.Line(text))
	}
	require.Equal(t, "a\n\\u0007", markdown.Visible("a\n\a"))
}

func TestEscaped_IsOneLineWithoutMarkup(t *testing.T) {
	require.Equal(t, `\*a\* 'b' \[c\] &lt;d> \|`, markdown.Escaped("*a*\n`b` [c] <d> |"))
	require.Equal(t, "  > a\n  > b", markdown.Indented("a\nb"))
}

func TestTable_HasAColumnForEachName(t *testing.T) {
	require.Equal(t, "| a | b |\n| --- | --- |\n| 1 | 2 |", markdown.Table("a | b", [][]string{{"1", "2"}}))
}

func TestNumbers_AreShort(t *testing.T) {
	require.Equal(t, []string{"999 B", "1.5 kB"}, []string{markdown.Bytes(999), markdown.Bytes(1500)})
	require.Equal(t, []string{"9999", "10 k", "1.50 M"}, []string{markdown.Tokens(9999), markdown.Tokens(10_000), markdown.Tokens(1_500_000)})
}
