package editdistance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/command/editdistance"
)

func TestAttack_LongWordsAreComparedByTheirBeginning(t *testing.T) {
	for name, words := range map[string][2]string{
		"both long":       {strings.Repeat("a", 1<<20), strings.Repeat("b", 1<<20)},
		"one long":        {strings.Repeat("ab", 1<<20), "help"},
		"long and alike":  {strings.Repeat("a", 1<<20), strings.Repeat("a", 1<<20) + "b"},
		"no UTF-8":        {strings.Repeat("\xff", 1<<20), strings.Repeat("\xfe", 1<<20)},
		"letters of four": {strings.Repeat("😀", 1<<18), strings.Repeat("😁", 1<<18)},
	} {
		t.Run(name, func(t *testing.T) {
			distance := editdistance.Between(words[0], words[1])
			require.GreaterOrEqual(t, distance, 0)
			require.LessOrEqual(t, distance, max(len(words[0]), len(words[1])))
		})
	}
	require.Equal(t, 1<<20-200+200, editdistance.Between(strings.Repeat("a", 1<<20), strings.Repeat("b", 200)), "200 are others, and the rest is more")
	require.Equal(t, 1, editdistance.Between(strings.Repeat("a", 1000), strings.Repeat("a", 1001)))
}
