package gateway_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/turn/policy"
)

func TestReceive_SaysHowItsSenderIsToldOfItAtOnce(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"], groups: {oc_1: {}},
		accounts: {quiet: {immediateFeedbackMode: "none"}, ok: {immediateFeedbackReaction: "OK"}}}}}`)
	out := b.Receive(ingresstest.DM("m1", "ou_1", "hello"))
	require.Equal(t, gateway.ResultAccepted, out.Result)
	require.Equal(t, policy.FeedbackReaction, out.Feedback)
	again, err := b.Gateways[0].Receive(t.Context(), ingresstest.DM("m1", "ou_1", "hello"))
	require.NoError(t, err)
	require.Empty(t, again.Feedback, "once")
	require.Empty(t, b.Receive(ingresstest.DM("m2", "ou_1", "/help")).Feedback, "a command is answered at once")
	require.Empty(t, b.Receive(ingresstest.InGroup("m3", "ou_1", "not for the bot")).Feedback)

	e := ingresstest.DM("m4", "ou_1", "hello")
	e.Account = "quiet"
	require.Equal(t, policy.FeedbackNone, b.Receive(e).Feedback)
	e.Account, e.ID = "ok", "m5"
	require.Equal(t, "OK", b.Receive(e).Emoji)
}

func TestReceive_SaysInWordsThatAMessageArrivedWhereAnAnswerIsCertain(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"], immediateFeedbackMode: "reply", groups: {oc_1: {requireMention: false}}}}}`)
	require.Equal(t, policy.FeedbackReply, b.Receive(ingresstest.DM("m1", "ou_1", "hello")).Feedback)
	e := ingresstest.InGroup("m2", "ou_1", "what do we eat?")
	out := b.Receive(e)
	require.Equal(t, gateway.ResultAccepted, out.Result)
	require.Empty(t, out.Feedback, "the agent may keep silent")
	e.ID, e.Mentioned = "m3", true
	require.Equal(t, policy.FeedbackReply, b.Receive(e).Feedback)
}
