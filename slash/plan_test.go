package slash_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/ingresstest"
	"xbot/slash/model"
)

func TestPlanCommand_SwitchesTheModeOfAConversationAndTakesAMessageOfItsOwn(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	for _, g := range b.Gateways {
		g.Dispatch.Commands = ingresstest.Commands(b.Store, append(ingresstest.PlatformCommands(g), model.Plan{Conversations: b.Store.Conversations, Settings: b.Store.Settings})...)
	}
	key := b.Receive(ingresstest.DM("m0", "ou_1", "hello")).Session
	say := func(id, text string) string { return b.Receive(ingresstest.DM(id, "ou_1", text)).Reply }
	plans := func() bool {
		s, _, err := b.Store.Conversations.Session(t.Context(), key)
		require.NoError(t, err)
		return s.Plan
	}
	require.Contains(t, say("m1", "/plan"), "Plan mode is off in this conversation.")
	require.Contains(t, say("m2", "/plan ON"), "Plan mode is on: ")
	require.True(t, plans())
	require.Contains(t, say("m3", "/plan"), "Plan mode is on in this conversation")
	require.Contains(t, say("m4", "/plan off"), "Plan mode is off.")
	require.False(t, plans())
	require.Empty(t, say("m5", "/plan on Monday I travel; book a room"), "it is a message")
	var body, options string
	require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT body, options::text FROM inbox WHERE session_key = $1 ORDER BY id DESC LIMIT 1", key).Scan(&body, &options))
	require.Contains(t, body, "on Monday I travel")
	require.JSONEq(t, `{"plan": true}`, options)
	got := b.Receive(ingresstest.InGroup("g1", "ou_1", "/plan on"))
	require.Empty(t, got.Reply, "in a group, administrators choose")
}
