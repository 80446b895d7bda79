package transcript_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/transcript"
)

func TestMarkdown_SaysWhatBecameOfAMessage(t *testing.T) {
	var out strings.Builder
	require.NoError(t, transcript.Markdown(&out, transcript.Transcript{Messages: []chat.Message{
		{Role: chat.RoleUser, Content: "first try", Origin: chat.OriginSuperseded},
		{Role: chat.RoleUser, Content: "what I meant"},
		{Role: chat.RoleAssistant, Content: "[[silent]]", Silent: true},
		{Role: chat.RoleAssistant, Content: "for your eyes", Undelivered: true},
		{Role: chat.RoleUser, Content: "not for the bot", Origin: chat.OriginOverheard},
	}}))
	var heads []string
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "**") {
			parts := strings.Split(strings.TrimSpace(line), " · ")
			heads = append(heads, parts[len(parts)-1])
		}
	}
	require.Len(t, heads, 5)
	require.Equal(t, "superseded by a newer message", heads[0])
	require.NotContains(t, heads[1], "superseded")
	require.Equal(t, []string{"kept silent", "not delivered", "overheard"}, heads[2:])
}
