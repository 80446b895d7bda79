package messages

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

func TestDictations_BoundThoseOfOnePersonAndOfAll(t *testing.T) {
	var d dictations
	now := time.Unix(1000, 0)
	first, err := d.begin(1, now)
	require.NoError(t, err)
	_, err = d.begin(1, now)
	require.NoError(t, err)
	_, err = d.begin(1, now)
	require.True(t, fault.Is(err, fault.RateLimited))
	require.Positive(t, fault.After(err))
	first()
	first() // twice is once
	_, err = d.begin(1, now)
	require.NoError(t, err)
	_, err = d.begin(1, now)
	require.Error(t, err)
	for user := chat.UserID(2); user < 8; user++ {
		_, err := d.begin(user, now)
		require.NoError(t, err, "another person has places of their own")
	}
	_, err = d.begin(9, now)
	require.ErrorContains(t, err, "too many recordings")
}

func TestDictations_LetAPersonHaveSoManyInAMinuteAndForgetThem(t *testing.T) {
	var d dictations
	now := time.Unix(1000, 0)
	for range ownPerMinute {
		done, err := d.begin(1, now)
		require.NoError(t, err)
		done()
	}
	_, err := d.begin(1, now.Add(50*time.Second))
	require.True(t, fault.Is(err, fault.RateLimited))
	require.Equal(t, 10*time.Second, fault.After(err))
	done, err := d.begin(2, now.Add(61*time.Second))
	require.NoError(t, err)
	done()
	require.Len(t, d.of, 1, "of the first nothing is left")
	_, err = d.begin(1, now.Add(61*time.Second))
	require.NoError(t, err)
}
