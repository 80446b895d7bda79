package codingagent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/codingagent"
)

func TestSubject_WritesOutWhatPeopleWouldNotSee(t *testing.T) {
	require.Equal(t, `echo safe\u202e fr- mr`, codingagent.Subject("echo safe\u202e fr- mr"))
	require.Equal(t, `ls \u001b[2K\u001b[1Grm x`, codingagent.Subject("ls \x1b[2K\x1b[1Grm x"))
	require.Equal(t, "a\n\tb", codingagent.Subject("a\n\tb"), "lines stay")
	require.Equal(t, "你好 👨‍👩‍👧", codingagent.Subject("你好 👨‍👩‍👧"), "what is seen stays")
}

func TestTitle_LeavesOutWhatPeopleDoNotSee(t *testing.T) {
	for _, clean := range []func(string) string{codingagent.Title, codingagent.Paragraph, codingagent.Output} {
		require.Equal(t, "a[31mb", clean("a\x1b[31m\u200b\u202eb\x00"))
	}
}
