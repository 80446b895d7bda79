package files

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

func TestDrawings_AFewOfAPersonAndOfAllAtOnce(t *testing.T) {
	var d drawings
	first, err := d.begin(1)
	require.NoError(t, err)
	_, err = d.begin(1)
	require.NoError(t, err)
	_, err = d.begin(1)
	require.True(t, fault.Is(err, fault.RateLimited))
	require.Positive(t, fault.After(err))
	first()
	first() // counts once
	for _, user := range []chat.UserID{1, 2, 2} {
		_, err = d.begin(user)
		require.NoError(t, err)
	}
	_, err = d.begin(3)
	require.True(t, fault.Is(err, fault.RateLimited), "the places are taken")
}

func TestDrawings_KeepNothingOfWhoIsGone(t *testing.T) {
	var d drawings
	for user := range chat.UserID(100) {
		done, err := d.begin(user)
		require.NoError(t, err)
		done()
	}
	require.Empty(t, d.of)
	require.Zero(t, d.open)
}
