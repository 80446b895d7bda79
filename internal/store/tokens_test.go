package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/user/users"
)

func TestRevokeOlderTokens_LeavesTheNewestFewOfTheName(t *testing.T) {
	b := setup(t)
	for _, token := range []string{"first", "second", "third"} {
		_, err := b.Users.CreateToken(t.Context(), b.user.ID, users.Token{Name: "local programs"}, []byte(token))
		require.NoError(t, err)
	}
	_, err := b.Users.CreateToken(t.Context(), b.user.ID, users.Token{Name: "script"}, []byte("other"))
	require.NoError(t, err)
	require.NoError(t, b.Users.RevokeOlderTokens(t.Context(), b.user.ID, "local programs", 2))
	for _, token := range []string{"second", "third", "other"} {
		who, _, err := b.Users.TokenUser(t.Context(), []byte(token))
		require.NoError(t, err, token)
		require.Equal(t, b.user.ID, who.ID)
	}
	_, _, err = b.Users.TokenUser(t.Context(), []byte("first"))
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}
