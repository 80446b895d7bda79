package meeting_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/meeting"
)

var names = []string{"coder", "reviewer", "reviewer:b"}

func said(speaker int, text string) meeting.Line { return meeting.Line{Speaker: speaker, Text: text} }

func passed(speaker int) meeting.Line { return meeting.Line{Speaker: speaker, Passed: true} }

func TestNext_GoesRoundUntilTheRoundsAreOver(t *testing.T) {
	t.Parallel()
	var lines []meeting.Line
	var order []int
	for range 6 {
		n, end := meeting.Next(names, lines, 2)
		require.Empty(t, end)
		order, lines = append(order, n), append(lines, said(n, "x"))
	}
	require.Equal(t, []int{0, 1, 2, 0, 1, 2}, order)
	_, end := meeting.Next(names, lines, 2)
	require.Equal(t, meeting.Rounds, end)
}

func TestNext_IsWhoWasAddressedLast(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"what says @reviewer?": 1, "@REVIEWER:B, please": 2, "@reviewer: look": 1, "@reviewerx": 1, "a@coder": 1, "@@reviewer:b": 2, "@nobody @reviewer:b": 2,
	} {
		n, _ := meeting.Next(names, []meeting.Line{said(0, text)}, 9)
		require.Equal(t, want, n, text)
	}
	n, _ := meeting.Next(names, []meeting.Line{said(0, "@reviewer"), said(meeting.Moderator, "no, @reviewer:b first")}, 9)
	require.Equal(t, 2, n)
	n, _ = meeting.Next(names, []meeting.Line{said(1, "x"), said(meeting.Moderator, "@reviewer:b"), said(0, "hm")}, 9)
	require.Equal(t, 2, n, "said while another one spoke")
	n, _ = meeting.Next(names, []meeting.Line{said(2, "x"), said(meeting.Moderator, "@coder"), said(0, "hm")}, 9)
	require.Equal(t, 1, n, "who has answered is not asked again")
	n, _ = meeting.Next(names, []meeting.Line{said(0, "@reviewer:b"), said(meeting.Moderator, "go on")}, 9)
	require.Equal(t, 2, n, "a line that addresses nobody takes nobody's word away")
}

func TestNext_NobodyAddressedIsWhoWasSilentForLongest(t *testing.T) {
	t.Parallel()
	n, _ := meeting.Next(names, []meeting.Line{said(0, "@reviewer"), said(1, "@coder"), said(0, "done")}, 9)
	require.Equal(t, 2, n)
}

func TestNext_EndsWhenNobodyHasAnythingToAdd(t *testing.T) {
	t.Parallel()
	lines := []meeting.Line{said(0, "x"), passed(1), passed(2)}
	_, end := meeting.Next(names, lines, 9)
	require.Empty(t, end)
	_, end = meeting.Next(names, append(lines, passed(0)), 9)
	require.Equal(t, meeting.Agreed, end)
	_, end = meeting.Next(names, append(lines, passed(0), said(meeting.Moderator, "but?")), 9)
	require.Empty(t, end)
	_, end = meeting.Next(names, append(lines, meeting.Line{Speaker: 0, Failed: true}), 9)
	require.Equal(t, meeting.Failed, end)
}

func FuzzMentioned(f *testing.F) {
	f.Add("@coder hi")
	f.Add("x @REVIEWER:b\xff")
	f.Fuzz(func(t *testing.T, text string) {
		if n, ok := meeting.Mentioned(text, names, 0); ok && (n < 1 || n >= len(names)) {
			t.Fatalf("%q addresses %d", text, n)
		}
	})
}
