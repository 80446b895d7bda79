package callers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

func TestAttack_OpenRequestsOfOneCallerAreBounded(t *testing.T) {
	t.Parallel()
	var l Limit[string]
	var leaves []func()
	for range 3 {
		leave, err := l.Enter("a", 3, "downloads")
		require.NoError(t, err)
		leaves = append(leaves, leave)
	}
	_, err := l.Enter("a", 3, "downloads")
	require.Equal(t, fault.RateLimited, fault.KindOf(err))
	require.ErrorContains(t, err, "3 downloads")
	require.Positive(t, fault.After(err))
	leave, err := l.Enter("b", 3, "downloads")
	require.NoError(t, err, "another caller is served")
	leave()
	leaves[0]()
	leaves[0]() // the second time nothing happens
	last, err := l.Enter("a", 3, "downloads")
	require.NoError(t, err)
	_, err = l.Enter("a", 3, "downloads")
	require.Error(t, err)
	last()
	for _, leave := range leaves {
		leave()
	}
	require.Empty(t, l.open)
}
