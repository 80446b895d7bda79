package coding

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/i18n"
)

func TestInquiry_NobodyApprovesWhatTheyDoNotSeeWhole(t *testing.T) {
	t.Parallel()
	approval := func(command string) codingagent.Request {
		return codingagent.Request{ID: "1", Approval: &codingagent.Approval{
			Kind: codingagent.CommandRun, Title: codingagent.Subject(command), Dir: "/work", Reason: strings.Repeat("because ", 200),
		}}
	}
	short := approval("# look around\nrm -rf build " + strings.Repeat("x", 700))
	require.True(t, askable(short))
	for _, lang := range []i18n.Lang{i18n.English, i18n.Chinese} {
		text := inquiry("opencode", short, lang).Questions[0].Question
		require.Contains(t, text, short.Approval.Title, "all of it is shown, in its lines")
		require.LessOrEqual(t, len([]rune(text)), chat.MaxInquiryText)
	}
	for name, r := range map[string]codingagent.Request{"too long": approval("echo " + strings.Repeat("x", 800)), "nothing": approval(" ")} {
		require.False(t, askable(r), name)
		events := newEventRecorder(Ask{Inquires: true}, codingagent.Run{}, nil)
		events.take(r)
		require.Nil(t, events.asks, name)
		require.Equal(t, []reply{{"1", codingagent.Answer{Declined: true}}}, events.replies, name)
	}
}
