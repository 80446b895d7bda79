package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/account"
	"xbot/internal/channel/accounts/accountstore"
	"xbot/internal/user/notices"
)

func TestTurnNotices_AreOfWhoeverAsksAndGoToAnAccountOfTheirs(t *testing.T) {
	b := setup(t)
	const at = "/api/me/turn-notices"
	require.NoError(t, b.store.Channels.SaveChannelAccount(t.Context(), accountstore.ChannelAccount{Channel: "napcat", Enabled: true, Settings: map[string]string{}}, 0))
	var got account.TurnNoticesBody
	b.bob.get(at).is(http.StatusOK, &got)
	require.Equal(t, account.TurnNoticesBody{TurnNotices: notices.TurnNotices{Seconds: 60}, Chats: []notices.DirectChat{}}, got, "nobody is told unless they ask for it")

	carol, err := b.store.Users.Person(t.Context(), "napcat", "", "7", "Carol")
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), "UPDATE identities SET user_id = (SELECT id FROM users WHERE name = 'bob') WHERE user_id = $1", carol.ID)
	require.NoError(t, err)
	want := map[string]any{"to": map[string]any{"channel": "napcat", "peer": "7"}, "after_seconds": 90}
	b.do(b.bob, http.MethodPut, at, want).is(http.StatusOK, &got)
	chat := notices.DirectChat{Channel: "napcat", Peer: "7"}
	require.Equal(t, account.TurnNoticesBody{TurnNotices: notices.TurnNotices{To: &chat, Seconds: 90}, Chats: []notices.DirectChat{chat}}, got)
	b.do(b.alice, http.MethodPut, at, want).problem(http.StatusNotFound)
	got = account.TurnNoticesBody{}
	b.alice.get(at).is(http.StatusOK, &got)
	require.Nil(t, got.To, "an account of somebody else looks like none")
	require.Empty(t, got.Chats)

	for _, bad := range []map[string]any{
		{"to": map[string]any{"channel": "napcat", "peer": "7"}, "after_seconds": 9},
		{"to": map[string]any{"channel": "napcat", "peer": "7"}, "after_seconds": 86401},
		{"to": "napcat:7", "after_seconds": 60},
		{},
	} {
		b.do(b.bob, http.MethodPut, at, bad).problem(http.StatusUnprocessableEntity)
	}
	b.do(nil, http.MethodPut, at, want).problem(http.StatusUnauthorized)
	b.do(nil, http.MethodGet, at, nil).problem(http.StatusUnauthorized)
	got = account.TurnNoticesBody{}
	b.do(b.bob, http.MethodPut, at, map[string]any{"after_seconds": 60}).is(http.StatusOK, &got)
	require.Nil(t, got.To)
}
