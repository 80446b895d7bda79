package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/conversation"
)

func TestNameAnswers_LeadBackToConversationsThatHaveNamesOnly(t *testing.T) {
	b := setup(t)
	const work, talk = chat.SessionKey("agent:main:feishu:group:g1:thread:om_1"), chat.SessionKey("agent:main:feishu:group:g1")
	for _, key := range []chat.SessionKey{work, talk} {
		_, err := b.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: key, Owner: b.user.ID, Channel: "feishu"})
		require.NoError(t, err)
	}
	require.NoError(t, b.Routing.AddAliases(t.Context(), work, "first"))
	for range 2 { // a repeated delivery
		require.NoError(t, b.Routing.NameAnswers(t.Context(), work, "answer", "thread"))
		require.NoError(t, b.Routing.NameAnswers(t.Context(), talk, "chatted", "answer"))
	}
	for alias, want := range map[string]chat.SessionKey{"first": work, "answer": work, "thread": work} {
		key, ok, err := b.Routing.Alias(t.Context(), alias)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, want, key)
	}
	_, ok, err := b.Routing.Alias(t.Context(), "chatted")
	require.NoError(t, err)
	require.False(t, ok)
}
