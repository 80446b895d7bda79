package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

func TestReplaceToken_TheOneBeforeHoldsForWhoHasJustReadIt(t *testing.T) {
	b := setup(t)
	for _, token := range []string{"first", "second", "third"} {
		require.NoError(t, b.ReplaceToken(t.Context(), b.user.ID, "local programs", []byte(token)))
	}
	for _, token := range []string{"second", "third"} {
		who, err := b.TokenUser(t.Context(), []byte(token))
		require.NoError(t, err, token)
		require.Equal(t, b.user.ID, who.ID)
	}
	_, err := b.TokenUser(t.Context(), []byte("first"))
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}
