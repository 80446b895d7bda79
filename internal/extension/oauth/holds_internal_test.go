package oauth

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

func TestAttack_OnePersonDoesNotTakeAllHolds(t *testing.T) {
	t.Parallel()
	var h holds
	const slow, other = chat.UserID(1), chat.UserID(2)
	var ends []func()
	for range maxHoldsOfOne {
		end, err := h.take(t.Context(), slow)
		require.NoError(t, err)
		ends = append(ends, end)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := h.take(gone, slow)
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "one more of the same person waits")
	end, err := h.take(gone, other)
	require.NoError(t, err, "another person does not")
	end()

	taken := make(chan func())
	go func() {
		end, err := h.take(t.Context(), slow)
		if err != nil {
			close(taken)
			return
		}
		taken <- end
	}()
	ends[0]()
	end, ok := <-taken
	require.True(t, ok, "it waits for one to be given back")
	end()
	ends[1]()
	require.Empty(t, h.taken)
	require.Zero(t, h.all)
}

func TestHolds_AreBoundedTogether(t *testing.T) {
	t.Parallel()
	var h holds
	for user := range chat.UserID(maxHolds) {
		_, err := h.take(t.Context(), user)
		require.NoError(t, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := h.take(gone, 100)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}
