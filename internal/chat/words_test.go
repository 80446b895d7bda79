package chat_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
)

func TestFirstWords_FitOnOneLine(t *testing.T) {
	require.Equal(t, "hello", chat.FirstWords("hello\nworld", 10))
	require.Equal(t, "hel…", chat.FirstWords("hello world", 4))
	require.Equal(t, "修好…", chat.FirstWords("修好构建", 3))
	require.Equal(t, "a b", chat.FirstWords("a\tb", 10))
	require.Empty(t, chat.FirstWords("", 10))
}
