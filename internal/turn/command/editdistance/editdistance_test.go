package editdistance_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"xbot/internal/turn/command/editdistance"
)

func TestBetween_CountsLettersAddedRemovedChangedAndSwapped(t *testing.T) {
	t.Parallel()
	for words, want := range map[[2]string]int{
		{"", ""}: 0, {"stop", "stop"}: 0, {"", "new"}: 3, {"stop", "top"}: 1, {"stop", "stopp"}: 1, {"stop", "stip"}: 1, {"stop", "sotp"}: 1,
		{"kitten", "sitting"}: 3, {"ca", "abc"}: 3, {"模型", "模式"}: 1,
	} {
		require.Equal(t, want, editdistance.Between(words[0], words[1]), words)
	}
}

func TestBetween_IsTheSameBothWaysAndWithinItsBounds(t *testing.T) {
	t.Parallel()
	word := rapid.StringN(0, 8, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := editdistance.Between(a, b)
		require.Equal(t, d, editdistance.Between(b, a))
		require.Equal(t, a == b, d == 0)
		long, short := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
		require.LessOrEqual(t, d, max(long, short))
		require.GreaterOrEqual(t, d, max(long, short)-min(long, short))
	})
}
