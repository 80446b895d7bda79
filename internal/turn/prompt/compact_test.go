package prompt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm"
	"xbot/internal/turn/prompt"
)

func TestSummarize_AsksForALengthAFocusAndOneSummaryOfAll(t *testing.T) {
	r := prompt.Summarize("[USER] hello", "## Task\nearlier", "the port numbers", 4000)
	require.Equal(t, prompt.Compact(), r.System)
	require.Empty(t, r.Tools, "a summary is written, not acted on")
	require.Len(t, r.Messages, 1)
	for _, part := range []string{"4000 characters", "the port numbers", "<summary>\n## Task\nearlier\n</summary>", "<transcript>\n[USER] hello\n</transcript>"} {
		require.Contains(t, r.Messages[0].Content, part)
	}
}

func TestCorrect_KeepsTheTranscriptAndTheNewestComplaintOnly(t *testing.T) {
	r := prompt.Summarize("[USER] hello", "", "", 4000)
	first := r.Messages[0]
	r = prompt.Correct(r, "one", "too long")
	r = prompt.Correct(r, "two", "a heading is missing")
	require.Equal(t, first, r.Messages[0])
	require.Equal(t, llm.Message{Role: "assistant", Content: "two"}, r.Messages[1])
	require.Len(t, r.Messages, 3)
	require.Contains(t, r.Messages[2].Content, "a heading is missing")
}
