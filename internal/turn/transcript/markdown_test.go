package transcript_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/transcript"
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

// pictured is a conversation with a picture that a line names, one that nothing names, and one of a result.
var pictured = transcript.Transcript{Messages: []chat.Message{
	{ID: 1, Role: chat.RoleUser, Content: "look\n[image: cat.png · 9 bytes · /srv/cat.png]", Pictures: []chat.PictureRef{
		{Hash: "h1", MediaType: "image/png", Width: 30, Height: 20, Name: "cat.png", Path: "/srv/cat.png"}, {Hash: "h2", MediaType: "image/jpeg", Width: 4, Height: 5, Name: "a\n# [dog](x)"},
	}},
	{ID: 2, Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{{
		ID: "c1", Name: "Read", Arguments: "{}", State: chat.CallDone, Result: "the picture follows", ResultView: chat.ResultView{Pictures: []chat.PictureRef{{Hash: "h3", MediaType: "image/png", Width: 7, Height: 8, Path: "/srv/plan.png"}}},
	}}},
}}

func TestMarkdown_NamesEachPictureOnce(t *testing.T) {
	var out strings.Builder
	require.NoError(t, transcript.Markdown(&out, pictured))
	require.Equal(t, 1, strings.Count(out.String(), "/srv/cat.png"))
	require.Contains(t, out.String(), "dog")
	require.NotContains(t, out.String(), "\n# [dog](x)", "a name is no heading")
	require.Contains(t, out.String(), "(4 × 5)*")
	require.Contains(t, out.String(), "/srv/plan.png (7 × 8)*")
}

func TestWrite_NamesPicturesAndAnImportSaysThatTheyAreMissing(t *testing.T) {
	var out strings.Builder
	require.NoError(t, transcript.Write(&out, pictured))
	for _, hash := range []string{"h1", "h2", "h3"} {
		require.Equal(t, 1, strings.Count(out.String(), `"hash":"`+hash+`"`))
	}
	back, notes, err := transcript.Read(strings.NewReader(out.String()))
	require.NoError(t, err)
	require.Equal(t, []string{"pictures were left out: an export names them and does not hold them"}, notes)
	require.Equal(t, pictured.Messages[0].Content, back.Messages[0].Content)
	require.Equal(t, "the picture follows", back.Messages[1].ToolCalls[0].Result)
	require.Empty(t, back.Messages[0].Pictures, "they would lead nowhere")
}
