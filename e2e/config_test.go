package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
)

// TestConfig_AModelsChangeOfASettingIsAskedAboutAndMadeOnce kills the server while the question is open. The person has allowed everything else.
func TestConfig_AModelsChangeOfASettingIsAskedAboutAndMadeOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	id := k.send(`call config {"action":"set","name":"language","value":"zh","reason":"You write Chinese."}`, "then", "fail 401")
	call := k.untilAsked(1)
	require.Equal(t, "Change this setting: /settings language zh\nReason given by the model: You write Chinese.", call.Approval.Questions[0].Text)
	s.crash()
	s.boot()
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow, Answers: chat.Answers{"q1": {call.Approval.Questions[0].Options[0].Label}}})
	require.Equal(t, chat.TurnFailed, k.untilEnded(crashLimit, id).State)
	require.Equal(t, "回答语言：中文。", lastCalls(k)[0].Result)
	messages := k.transcript().Messages
	last := messages[len(messages)-1]
	require.Equal(t, chat.RoleNotice, last.Role)
	require.Contains(t, last.Content, "模型拒绝了请求", "what xbot says of the rest of the turn is in the new language, too")
	require.False(t, lastCalls(k)[0].IsError, lastCalls(k)[0].Result)
	set := func(name string) string {
		t.Helper()
		got, err := s.client.ListPreferences(t.Context(), apiclient.ListPreferencesParams{})
		require.NoError(t, err)
		for _, p := range got.Settings {
			if p.Name == name {
				return p.Value
			}
		}
		t.Fatalf("there is no setting %s", name)
		return ""
	}
	require.Equal(t, "zh", set("language"))

	id = k.send(`call config {"action":"set","name":"policy.queues.feishu","value":"steer"}`, "say done")
	call = k.untilAsked(2)
	made, err := s.client.CreateToken(t.Context(), apiclient.CreateTokenRequest{Name: "program", Scope: "chat"})
	require.NoError(t, err)
	program := apiclient.New(apiclient.Endpoint{URL: s.url, Token: made.Token})
	_, err = program.AnswerApproval(t.Context(), k.key, call.ID, apiclient.Answer{Decision: apiclient.Allow, Answers: chat.Answers{"q1": {call.Approval.Questions[0].Options[0].Label}}})
	require.Equal(t, fault.Denied, fault.KindOf(err), "a token for conversations changes no settings")
	_, err = program.Send(t.Context(), k.key, "in-words", "1")
	require.Equal(t, fault.Denied, fault.KindOf(err), "in words neither")
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow, Answers: chat.Answers{"q1": {call.Approval.Questions[0].Options[1].Label}}})
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.Contains(t, lastCalls(k)[0].Result, "Nothing was done")
	id = k.send(`call config {"action":"get","name":"policy"}`, "say done")
	call = k.untilAsked(3)
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow, Answers: chat.Answers{"q1": {call.Approval.Questions[0].Options[0].Label}}})
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, id).State)
	require.NotContains(t, lastCalls(k)[0].Result, "steer")
	require.False(t, lastCalls(k)[0].IsError, lastCalls(k)[0].Result)
	k.wellFormed()
}
