package tool_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/tool"
)

func TestReason_IsWhatTheModelSaysOnOneLine(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		`{"command":"rm x","reason":" free\n space\u0007 "}`: "free space",
		`{"command":"rm x","Reason":"as above"}`:             "as above",
		`{"command":"rm x"}`:                                 "",
		`{"reason":["a","list"]}`:                            "",
		`{"reason":`:                                         "",
		``:                                                   "",
	} {
		require.Equal(t, want, tool.Reason(arguments), arguments)
	}
	long := tool.Reason(`{"reason":"` + strings.Repeat("因为", 1000) + `"}`)
	require.LessOrEqual(t, utf8.RuneCountInString(long), 300)
	require.True(t, strings.HasSuffix(long, "…"))
}
