package gateway_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/i18n"
)

func addressedPhoto(id string) chat.Envelope {
	e := ingresstest.InGroup(id, "ou_1", "")
	e.Mentioned, e.Attachments = true, []chat.Attachment{{Kind: "image", Name: "IMG_1.jpg"}}
	return e
}

func TestReceive_APhotoAndABareCommandAreAnsweredInTheLanguageOfTheGroup(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {immediateFeedbackMode: "reply", groups: {oc_1: {}}}}}`)
	require.Equal(t, gateway.ResultOverheard, b.Receive(ingresstest.InGroup("m1", "ou_2", "大家好，今天开会吗？")).Result)
	photo := b.Receive(addressedPhoto("m2"))
	require.Equal(t, gateway.ResultAccepted, photo.Result)
	require.Equal(t, i18n.Chinese, photo.Lang)

	help := ingresstest.InGroup("m3", "ou_1", "/help")
	help.Mentioned = true
	out := b.Receive(help)
	require.Equal(t, gateway.ResultAnswered, out.Result)
	require.Contains(t, out.Reply, i18n.Say(i18n.Chinese, i18n.HelpMore))
}

func TestReceive_WhereNobodyHasSaidAnythingThePolicyNamesTheLanguage(t *testing.T) {
	for policy, lang := range map[string]i18n.Lang{`language: "zh",`: i18n.Chinese, `language: "en",`: i18n.English, ``: i18n.English} {
		t.Run(string(lang)+policy, func(t *testing.T) {
			b := bridged(t, `{`+policy+` channels: {feishu: {dmPolicy: "pairing", immediateFeedbackMode: "reply", groups: {oc_1: {}}}}}`)
			require.Equal(t, lang, b.Receive(addressedPhoto("m1")).Lang, policy)
			code := b.Receive(ingresstest.DM("m2", "ou_9", "/help")).Reply // at the door
			require.Equal(t, lang, i18n.Of(code), code)
			require.Equal(t, i18n.Chinese, i18n.Of(b.Receive(ingresstest.DM("m3", "ou_8", "你好")).Reply), "what they write comes first")
			require.NotContains(t, code, "%!")
		})
	}
}
