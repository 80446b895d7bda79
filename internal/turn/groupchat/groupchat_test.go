package groupchat_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/turn/groupchat"
)

var names = []string{"coder", "reviewer", "reviewer:b"}

func said(speaker int, text string) groupchat.Line {
	return groupchat.Line{Speaker: speaker, Text: text}
}

func passed(speaker int) groupchat.Line { return groupchat.Line{Speaker: speaker, Passed: true} }

func TestNext_GoesRoundUntilTheRoundsAreOver(t *testing.T) {
	t.Parallel()
	var lines []groupchat.Line
	var order []int
	for range 6 {
		n, end := groupchat.Next(names, lines, 2)
		require.Empty(t, end)
		order, lines = append(order, n), append(lines, said(n, "x"))
	}
	require.Equal(t, []int{0, 1, 2, 0, 1, 2}, order)
	_, end := groupchat.Next(names, lines, 2)
	require.Equal(t, groupchat.Rounds, end)
}

func TestNext_IsWhoWasAddressedLast(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"what says @reviewer?": 1, "@REVIEWER:B, please": 2, "@reviewer: look": 1, "@reviewerx": 1, "a@coder": 1, "@@reviewer:b": 2, "@nobody @reviewer:b": 2,
	} {
		n, _ := groupchat.Next(names, []groupchat.Line{said(0, text)}, 9)
		require.Equal(t, want, n, text)
	}
	n, _ := groupchat.Next(names, []groupchat.Line{said(0, "@reviewer"), said(groupchat.Moderator, "no, @reviewer:b first")}, 9)
	require.Equal(t, 2, n)
	n, _ = groupchat.Next(names, []groupchat.Line{said(1, "x"), said(groupchat.Moderator, "@reviewer:b"), said(0, "hm")}, 9)
	require.Equal(t, 2, n, "said while another one spoke")
	n, _ = groupchat.Next(names, []groupchat.Line{said(2, "x"), said(groupchat.Moderator, "@coder"), said(0, "hm")}, 9)
	require.Equal(t, 1, n, "who has answered is not asked again")
	n, _ = groupchat.Next(names, []groupchat.Line{said(0, "@reviewer:b"), said(groupchat.Moderator, "go on")}, 9)
	require.Equal(t, 2, n, "a line that addresses nobody takes nobody's word away")
}

func TestNext_NobodyAddressedIsWhoWasSilentForLongest(t *testing.T) {
	t.Parallel()
	n, _ := groupchat.Next(names, []groupchat.Line{said(0, "@reviewer"), said(1, "@coder"), said(0, "done")}, 9)
	require.Equal(t, 2, n)
}

func TestNext_EndsWhenNobodyHasAnythingToAdd(t *testing.T) {
	t.Parallel()
	lines := []groupchat.Line{said(0, "x"), passed(1), passed(2)}
	_, end := groupchat.Next(names, lines, 9)
	require.Empty(t, end)
	_, end = groupchat.Next(names, append(lines, passed(0)), 9)
	require.Equal(t, groupchat.Agreed, end)
	_, end = groupchat.Next(names, append(lines, passed(0), said(groupchat.Moderator, "but?")), 9)
	require.Empty(t, end)
	_, end = groupchat.Next(names, append(lines, groupchat.Line{Speaker: 0, Failed: true}), 9)
	require.Equal(t, groupchat.Failed, end)
}

func FuzzMentioned(f *testing.F) {
	f.Add("@coder hi")
	f.Add("x @REVIEWER:b\xff")
	f.Fuzz(func(t *testing.T, text string) {
		if n, ok := groupchat.Mentioned(text, names, 0); ok && (n < 1 || n >= len(names)) {
			t.Fatalf("%q addresses %d", text, n)
		}
	})
}
